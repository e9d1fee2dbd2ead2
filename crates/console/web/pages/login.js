// The sign-in page: a one-time link, a pasted token, or the provider, as the service offers them; with an invitation
// the provider alone.
import { LitElement, html } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { acceptInvitation, destination, readSession, signIn } from "../lib/session.js";
import { refusedByProvider, usedLink } from "../lib/sign-in-errors.js";
import { name } from "../lib/text.js";
import { problem } from "../elements/parts.js";

/**
 * What the address brought: the code of a one-time link, or that of an invitation. It leaves the address before
 * anything else, so that no history and no bookmark keeps it.
 */
let brought = take();

function take() {
  const found = new URLSearchParams(location.hash.slice(1));
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return { code: found.get("code"), invitation: found.get("invitation") };
}

class LoginPage extends LitElement {
  static properties = {
    session: { state: true }, busy: { state: true }, error: { state: true }, invitation: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../lib/session.js").Session | null} */
    this.session = null;
    this.busy = true;
    /** The code of an invitation, until it was tried. @type {string | null} */
    this.invitation = null;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = refusedByProvider(new URLSearchParams(location.search).get("problem"));
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    // The link opened in a tab that shows this page already is no new document.
    addEventListener("hashchange", () => {
      brought = take();
      if (brought.code || brought.invitation) this.start();
    });
    this.start();
  }

  async start() {
    const { code: given, invitation } = brought;
    brought = { code: null, invitation: null };
    if (invitation) [this.invitation, this.error] = [invitation, null];
    if (given && (await this.enter(given))) return;
    if (given && this.error?.status === 401) this.error = usedLink(this.error);
    const failed = this.error;
    await this.attempt(async () => { this.session = await readSession(); });
    this.error ??= failed;
  }

  /** Returns whether it worked. @param {() => Promise<unknown>} work */
  async attempt(work) {
    this.busy = true;
    try {
      await work();
      return true;
    } catch (caught) {
      this.error = asApiError(caught);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** @param {string} token */
  async enter(token) {
    this.error = null;
    const worked = await this.attempt(() => signIn(token));
    if (worked) location.replace(destination(new URLSearchParams(location.search).get("next")));
    return worked;
  }

  async accept() {
    const given = this.invitation;
    if (!given) return;
    this.error = null;
    // The page stays busy while the browser leaves.
    if (await this.attempt(() => acceptInvitation(given))) this.busy = true;
    else this.invitation = null;
  }

  /** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
  async submit(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (event.currentTarget.elements.namedItem("token"));
    const token = field.value.trim();
    if (!token) return;
    field.value = "";
    if (!(await this.enter(token))) field.focus();
  }

  render() {
    return html`<main class="alone" id="main">
      <p class="mark">Toolcrib</p>
      <h1>${this.invitation ? "You are invited" : "Sign in"}</h1>
      ${this.error ? problem(this.error) : ""}
      ${this.session ? this.elsewhere(this.session.public_url) : ""}
      ${this.session?.signed_in ? this.already() : ""}
      ${this.session && this.invitation ? this.invited(this.session.ways) : ""}
      ${this.session && !this.invitation ? this.ways(this.session.ways) : ""}
      ${this.busy ? html`<p class="muted" role="status">One moment…</p>` : ""}
    </main>`;
  }

  already() {
    const user = this.session?.user;
    const next = destination(new URLSearchParams(location.search).get("next"));
    return html`<p class="notice">You are signed in as ${name(user?.name ?? user?.subject)}.
      <a href=${next}>Go on</a></p>`;
  }

  /** At another address the provider could not send the browser back. @param {string | undefined} url */
  elsewhere(url) {
    if (!url || new URL(url).origin === location.origin) return "";
    return html`<div class="notice wrong" id="elsewhere"><p><strong>This is not the address at which people sign
      in.</strong></p><p>That is <a href=${`${url}/console/login`}>${url}</a>. If it is wrong, whoever runs the service
      sets <code>public_url</code> to this one.</p></div>`;
  }

  /** @param {string[]} ways */
  invited(ways) {
    if (!ways.includes("oidc")) {
      return html`<div class="notice wrong"><p><strong>This invitation can't be used here.</strong></p><p>It needs the
        sign-in of an organization: whoever runs the service sets <code>console_client_id</code>.</p></div>`;
    }
    return html`<p>Sign in with your organization, and you are a member of the workspace. The invitation works once.</p>
      <p><button type="button" class="primary wide" id="accept" ?disabled=${this.busy} @click=${this.accept}>Accept and
        sign in</button></p>`;
  }

  /** @param {string[]} ways */
  ways(ways) {
    if (!ways.length) {
      return html`<div class="notice wrong"><p><strong>Nobody can sign in at this address.</strong></p>
        <p>The console needs https, except on the machine itself. Open it at the service's https address.</p></div>`;
    }
    return html`
      ${ways.includes("oidc") ? html`<p><a class="button primary wide" href=${this.provider()}>Sign in with your
        organization</a></p>` : ""}
      ${ways.includes("token") ? this.form() : ""}
      ${ways.includes("link") ? html`<section><h2>By a one-time link</h2>
        <p>Whoever runs the service prints one: <code>toolcrib console link --user USER</code>. A demo prints it when it
          starts. It works once, for ten minutes.</p></section>` : ""}`;
  }

  provider() {
    const next = destination(new URLSearchParams(location.search).get("next"));
    return `/console/login/start?${new URLSearchParams({ next })}`;
  }

  form() {
    return html`<form @submit=${this.submit} autocomplete="off">
      <label for="token">Token</label>
      <input id="token" name="token" type="password" autocomplete="off" spellcheck="false" autocapitalize="off"
        required aria-describedby="token-note">
      <p class="small muted" id="token-note">Your own token of the identity provider. It is sent to this service once
        and kept nowhere; the session ends with it.</p>
      <button type="submit" class="primary wide" ?disabled=${this.busy}>Sign in</button>
    </form>`;
  }
}

customElements.define("login-page", LoginPage);

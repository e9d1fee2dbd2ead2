// The sign-in page: a one-time link, a pasted token, or the provider, as the service offers them.
import { LitElement, html } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { destination, readSession, signIn } from "../lib/session.js";
import { refusedByProvider, usedLink } from "../lib/sign-in-errors.js";
import { name } from "../lib/text.js";
import { problem } from "../elements/parts.js";

// The code leaves the address before anything else, so that no history and no bookmark keeps it.
let code = takeCode();

function takeCode() {
  const found = new URLSearchParams(location.hash.slice(1)).get("code");
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return found;
}

class LoginPage extends LitElement {
  static properties = { session: { state: true }, busy: { state: true }, error: { state: true } };

  constructor() {
    super();
    /** @type {import("../lib/session.js").Session | null} */
    this.session = null;
    this.busy = true;
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
      code = takeCode() ?? code;
      this.start();
    });
    this.start();
  }

  async start() {
    const given = code;
    code = null;
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
      <h1>Sign in</h1>
      ${this.error ? problem(this.error) : ""}
      ${this.session?.signed_in ? this.already() : ""}
      ${this.session ? this.ways(this.session.ways) : ""}
      ${this.busy ? html`<p class="muted" role="status">One moment…</p>` : ""}
    </main>`;
  }

  already() {
    const user = this.session?.user;
    const next = destination(new URLSearchParams(location.search).get("next"));
    return html`<p class="notice">You are signed in as ${name(user?.name ?? user?.subject)}.
      <a href=${next}>Go on</a></p>`;
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

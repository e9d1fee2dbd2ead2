// One confirmation on a page of its own, for people who decide and use nothing else of the console.
import { LitElement, html, nothing } from "../vendor/lit.js";
import { Service, asApiError, call, sessionEvents } from "../lib/api.js";
import { get, isOpen } from "../lib/confirmations.js";
import { Hub } from "../lib/hub.js";
import { loginAddress, readSession } from "../lib/session.js";
import { STATUS, name, word } from "../lib/text.js";
import { announce, edit } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";
import "../elements/confirmation.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

/** As it stands in the address: an id needs no decoding, and what does is none. */
const id = location.pathname.split("/")[2] ?? "";

/**
 * The confirmation, in that workspace of the person in which it is. The address names none.
 * @returns {Promise<{ service: Service, one: Confirmation } | null>} null where there is none that they may see
 */
async function find() {
  const { workspaces } = await call("GET", "/v1/me");
  for (const { id: workspace } of workspaces) {
    const service = new Service({ workspace });
    const one = await get(service, id).catch((caught) => {
      const error = asApiError(caught);
      if (error.status === 404 || error.status === 403) return null;
      throw error;
    });
    if (one) return { service, one };
  }
  return null;
}

class ApprovePage extends LitElement {
  static properties = { state: { state: true }, one: { state: true }, error: { state: true } };

  constructor() {
    super();
    /** @type {"loading" | "signed-out" | "missing" | "shown"} */
    this.state = "loading";
    /** @type {Confirmation | null} */
    this.one = null;
    /** @type {Service | null} */
    this.service = null;
    /** @type {Hub | null} */
    this.hub = null;
    /** @type {import("../lib/session.js").Session | null} */
    this.session = null;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    sessionEvents.addEventListener("signed-out", () => this.end());
    this.start();
  }

  async start() {
    this.error = null;
    try {
      this.session = await readSession();
      if (!this.session.signed_in) return this.end();
      const found = await find();
      [this.service, this.one, this.state] = [found?.service ?? null, found?.one ?? null, found ? "shown" : "missing"];
      if (found && isOpen(found.one)) this.follow(found.service);
    } catch (caught) {
      const error = asApiError(caught);
      if (error.status !== 401) this.error = error;
    }
  }

  /** Shows what others decide meanwhile. @param {Service} service */
  follow(service) {
    this.hub = new Hub(service, { owner: this.session?.user?.id ?? "" });
    this.hub.addEventListener("refresh", () => this.refresh(service));
    this.hub.start();
  }

  /** @param {Service} service */
  async refresh(service) {
    // An answer that could not be had is no news: the card shows what it knows.
    const one = await get(service, id).catch(() => null);
    if (one) this.show(one);
  }

  /** @param {Confirmation} one */
  show(one) {
    const ended = this.one && isOpen(this.one) && !isOpen(one);
    if (this.one && !isOpen(this.one) && isOpen(one)) return;
    this.one = one;
    if (!ended) return;
    this.hub?.stop();
    announce(`It is decided: ${word(STATUS, one.status)}.`);
  }

  end() {
    this.hub?.stop();
    [this.state, this.one] = ["signed-out", null];
  }

  render() {
    return html`<main class="alone decide" id="main"><p class="mark">Toolcrib</p>${this.content()}</main>`;
  }

  content() {
    if (this.error) return html`<h1>Approve a call</h1>${problem(this.error, () => this.start())}`;
    if (this.state === "signed-out") return this.signIn();
    if (this.state === "missing") return this.missing();
    if (!this.one) return html`<h1>Approve a call</h1><p class="muted" role="status">One moment…</p>`;
    const user = this.session?.user;
    return html`<h1>${isOpen(this.one) ? "A call waits for a decision" : "This call waits no longer"}</h1>
      <toolcrib-confirmation .confirmation=${this.one} .service=${this.service} .me=${user?.id ?? ""}
        .links=${this.links} .edit=${edit}
        @confirmation=${(/** @type {CustomEvent} */ event) => this.show(event.detail)}></toolcrib-confirmation>
      <p class="small muted">You are signed in as ${name(user?.name ?? user?.subject)}.
        ${isOpen(this.one) ? nothing : "You may close this page."} <a href="/console/">Everything that waits</a></p>`;
  }

  get links() {
    const workspace = encodeURIComponent(this.service?.workspace ?? "");
    return { grants: `/console/w/${workspace}/inbox/grants`, other: "/approve/" };
  }

  signIn() {
    return html`<h1>A call waits for a decision</h1>
      <p>Somebody, or an agent of theirs, asked for something that a person decides. Sign in to see it: this page opens
        again afterwards.</p>
      <p><a class="button primary wide" href=${loginAddress()}>Sign in</a></p>`;
  }

  missing() {
    const user = this.session?.user;
    return html`<h1>There is no such confirmation</h1>
      <p>Nothing with this address waits or waited in a workspace of ${name(user?.name ?? user?.subject)}. It may be for
        somebody else: then that person signs in and opens it.</p>
      <p><a href=${loginAddress()}>Sign in as somebody else</a> or see
        <a href="/console/">everything that waits</a>.</p>`;
  }
}

customElements.define("approve-page", ApprovePage);

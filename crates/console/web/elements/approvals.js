// What waits for a person, inside of another front end's page: `<toolcrib-approvals>`.
import { LitElement, html, nothing, repeat } from "../vendor/lit.js";
import { Service } from "../lib/api.js";
import { Waiting } from "../lib/confirmations.js";
import { share } from "../lib/hub.js";
import { TEXTS, fill, spoken } from "../lib/text.js";
import { problem } from "./parts.js";
import { STYLE } from "./style.js";
import "./confirmation.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation & { messages?: unknown[] }} Confirmation
 * @typedef {import("../lib/confirmations.js").Change} Change
 */

// The page's policy needs no `style-src` for a sheet that is made here.
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);

/** Sends `toolcrib-count`, `toolcrib-ended` and `toolcrib-error`. */
export class ToolcribApprovals extends LitElement {
  static properties = {
    base: {}, workspace: {}, session: {}, headingLevel: { type: Number, attribute: "heading-level" },
    theme: { reflect: true },
    token: { attribute: false }, strings: { attribute: false }, said: { state: true },
  };

  constructor() {
    super();
    /** Origin of the service. */
    this.base = "";
    this.workspace = "";
    /** The conversation; without it everything that the token may see. @type {string | null} */
    this.session = null;
    this.headingLevel = 2;
    /** @type {"auto" | "light" | "dark"} */
    this.theme = "auto";
    /** A token, or what returns one. @type {import("../lib/api.js").Token | null} */
    this.token = null;
    /** Own texts. @type {Record<string, string>} */
    this.strings = {};
    /** What was said last to people who hear the page. */
    this.said = "";
    this.count = -1;
    /** @type {Waiting | null} */
    this.waiting = null;
    /** Ends what listens. */
    this.leave = () => {};
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.shadowRoot) this.shadowRoot.adoptedStyleSheets = [sheet];
    this.requestUpdate("base");
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.leave();
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    const service = this.waiting?.error?.status === 401 ? null : this.waiting?.service;
    const [before, token] = [changed.get("token"), this.token];
    // A framework may make the function anew whenever it renders. That is no other person.
    if (service && typeof before === "function" && typeof token === "function") {
      service.token = token;
      changed.delete("token");
    }
    if (this.isConnected && ["base", "workspace", "session", "token"].some((one) => changed.has(one))) this.enter();
  }

  /** Looks, and follows what happens, with the values that are set now. */
  enter() {
    this.leave();
    const { base, workspace, token, session } = this;
    if (!workspace || !token) return;
    const service = new Service({ base: base.replace(/\/+$/, ""), workspace, token });
    const waiting = (this.waiting = new Waiting(service, session || null));
    waiting.addEventListener("change", (event) => this.changed(/** @type {CustomEvent<Change>} */ (event).detail));
    const { hub, first, release } = share(service, session || null);
    const listening = new AbortController();
    const { signal } = listening;
    hub.addEventListener("look", () => waiting.look(), { signal });
    hub.addEventListener("failed", (event) => waiting.fail(/** @type {CustomEvent} */ (event).detail), { signal });
    if (!first) waiting.look();
    this.leave = () => {
      listening.abort();
      release();
      waiting.stopped = true;
      [this.waiting, this.leave] = [null, () => {}];
    };
  }

  /** Looks again, and forgets what has ended. */
  async refresh() {
    await this.waiting?.look();
    this.waiting?.tidy();
    this.requestUpdate();
  }

  /** @param {{ arrived: Confirmation[], ended: Confirmation[] }} change */
  changed({ arrived, ended }) {
    const { open, error } = this.waiting ?? { open: [], error: null };
    if (open.length !== this.count) this.send("count", { count: (this.count = open.length) });
    for (const one of ended) {
      this.send("ended", { id: one.id, status: one.status, messages: one.messages ?? [] });
    }
    if (error) this.send("error", { problem: error.problem });
    const [came, went] = [arrived.at(-1), ended.at(-1)];
    if (came) this.said = fill(this.texts.new, { what: spoken(came.description) }).join("");
    else if (went) this.said = `${spoken(went.description)}: ${this.texts[went.status] ?? went.status}`;
    this.requestUpdate();
  }

  get texts() {
    return { ...TEXTS, ...this.strings };
  }

  /** @param {string} name @param {unknown} detail */
  send(name, detail) {
    this.dispatchEvent(new CustomEvent(`toolcrib-${name}`, { detail, bubbles: true, composed: true }));
  }

  render() {
    const waiting = this.waiting;
    if (!waiting || waiting.error?.status === 401) {
      return html`<slot name="signed-out"><p>${this.texts.signedOut}</p></slot>`;
    }
    const { service, error } = waiting;
    /** @param {CustomEvent<Confirmation>} event */
    const put = (event) => waiting.put(event.detail);
    return html`${error ? problem(error, () => this.refresh(), service.base) : nothing}
      <div class="cards" @confirmation=${put}>${repeat(waiting.items ?? [], ({ id }) => id,
        (one) => this.card(one, service))}</div>
      <p class="unseen" role="status">${this.said}</p>`;
  }

  /** @param {Confirmation} one @param {Service} service */
  card(one, service) {
    const elsewhere = `${service.base}/approve/${encodeURIComponent(one.id)}`;
    const grants = `${service.base}/console/w/${encodeURIComponent(service.workspace)}/inbox/grants`;
    const links = { elsewhere, grants, target: "_blank" };
    return html`<toolcrib-confirmation .one=${one} .service=${service} .level=${this.headingLevel || 2}
      .strings=${this.strings} .links=${links}></toolcrib-confirmation>`;
  }
}

if (!customElements.get("toolcrib-approvals")) customElements.define("toolcrib-approvals", ToolcribApprovals);

// What waits for a person, inside of another front end's page: `<toolcrib-approvals>`.
import { LitElement, html, nothing, repeat } from "../vendor/lit.js";
import { Service } from "../lib/api.js";
import { ConfirmationList } from "../lib/confirmations.js";
import { share } from "../lib/hub.js";
import { TEXTS, fill, speech } from "../lib/text.js";
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
    token: { attribute: false }, strings: { attribute: false }, status: { state: true },
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
    /** What screen readers read last. */
    this.status = "";
    this.count = -1;
    /** @type {ConfirmationList | null} */
    this.confirmations = null;
    this.disconnect = () => {};
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.shadowRoot) this.shadowRoot.adoptedStyleSheets = [sheet];
    this.requestUpdate("base");
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.disconnect();
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    const service = this.confirmations?.error?.status === 401 ? null : this.confirmations?.service;
    const [before, token] = [changed.get("token"), this.token];
    // A framework may make the function anew whenever it renders. That is no other person.
    if (service && typeof before === "function" && typeof token === "function") {
      service.token = token;
      changed.delete("token");
    }
    if (this.isConnected && ["base", "workspace", "session", "token"].some((one) => changed.has(one))) this.connect();
  }

  /** Reads the list and follows its changes, with the values that are set now. */
  connect() {
    this.disconnect();
    const { base, workspace, token, session } = this;
    if (!workspace || !token) return;
    const service = new Service({ base: base.replace(/\/+$/, ""), workspace, token });
    const confirmations = (this.confirmations = new ConfirmationList(service, session || null));
    confirmations.addEventListener("change", (event) =>
      this.changed(/** @type {CustomEvent<Change>} */ (event).detail));
    const { hub, first, release } = share(service, session || null);
    const listening = new AbortController();
    const { signal } = listening;
    hub.addEventListener("refresh", () => confirmations.refresh(), { signal });
    hub.addEventListener("failed", (event) =>
      confirmations.fail(/** @type {CustomEvent} */ (event).detail), { signal });
    if (!first) confirmations.refresh();
    this.disconnect = () => {
      listening.abort();
      release();
      confirmations.stopped = true;
      [this.confirmations, this.disconnect] = [null, () => {}];
    };
  }

  /** Reads the list again, without what has ended. */
  async refresh() {
    await this.confirmations?.refresh();
    this.confirmations?.prune();
    this.requestUpdate();
  }

  /** @param {{ arrived: Confirmation[], ended: Confirmation[] }} change */
  changed({ arrived, ended }) {
    const { open, error } = this.confirmations ?? { open: [], error: null };
    if (open.length !== this.count) this.send("count", { count: (this.count = open.length) });
    for (const one of ended) {
      this.send("ended", { id: one.id, status: one.status, messages: one.messages ?? [] });
    }
    if (error) this.send("error", { problem: error.problem });
    const one = arrived.at(-1) ?? ended.at(-1);
    if (one) {
      const what = speech(one.description);
      this.status = arrived.length ? fill(this.texts.new, { what }).join("")
        : `${what}: ${this.texts[one.status] ?? one.status}`;
    }
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
    const confirmations = this.confirmations;
    if (!confirmations || confirmations.error?.status === 401) {
      return html`<slot name="signed-out"><p>${this.texts.signedOut}</p></slot>`;
    }
    const { service, error } = confirmations;
    /** @param {CustomEvent<Confirmation>} event */
    const put = (event) => confirmations.put(event.detail);
    return html`${error ? problem(error, () => this.refresh(), service.base) : nothing}
      <div class="cards" @confirmation=${put}>${repeat(confirmations.items ?? [], ({ id }) => id,
        (one) => this.card(one, service))}</div>
      <p class="unseen" role="status">${this.status}</p>`;
  }

  /** @param {Confirmation} one @param {Service} service */
  card(one, service) {
    const elsewhere = `${service.base}/approve/${encodeURIComponent(one.id)}`;
    const grants = `${service.base}/console/w/${encodeURIComponent(service.workspace)}/inbox/grants`;
    const links = { elsewhere, grants, target: "_blank" };
    return html`<toolcrib-confirmation .confirmation=${one} .service=${service} .level=${this.headingLevel || 2}
      .strings=${this.strings} .links=${links}></toolcrib-confirmation>`;
  }
}

if (!customElements.get("toolcrib-approvals")) customElements.define("toolcrib-approvals", ToolcribApprovals);

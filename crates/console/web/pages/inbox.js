// The inbox: what waits for this person, what waits for others, and what was decided.
import { LitElement, html, nothing, repeat } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { isOpen, listEnded, runs } from "../lib/confirmations.js";
import { announce, problem } from "../elements/parts.js";
import { empty, row } from "./inbox-rows.js";
import "./inbox-group.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

/** The tabs, as they are in the address. @type {[string, string][]} */
const TABS = [["", "For me"], ["others", "For others"], ["decided", "Decided"]];

class InboxPage extends LitElement {
  static properties = { ended: { state: true }, error: { state: true }, busy: { state: true } };

  constructor() {
    super();
    /** @type {import("../app.js").ConsoleApp | undefined} */
    this.app = undefined;
    /** What has ended, as far as it was read; null before. @type {import("../lib/confirmations.js").Page | null} */
    this.ended = null;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
    this.busy = false;
    /** The tab and workspace in view. */
    this.inView = "";
    /** The confirmation that is unfolded as the page opens: the oldest. @type {string | null | undefined} */
    this.first = undefined;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.app?.state.waiting?.tidy();
  }

  get tab() {
    const tab = new URLSearchParams(location.search).get("tab") ?? "";
    return TABS.some(([one]) => one === tab) ? tab : "";
  }

  /** Reads the list of the tab when it comes into view. What ended before stays no longer. */
  willUpdate() {
    const state = this.app?.state;
    const key = `${state?.workspace} ${this.tab}`;
    if (this.inView !== key) {
      this.inView = key;
      [this.ended, this.error, this.first] = [null, null, undefined];
      state?.waiting?.tidy();
      if (this.tab === "decided") this.more();
    }
    if (this.first === undefined && state?.open) this.first = this.items(this.tab)[0]?.id ?? null;
  }

  /** Reads the next page of what has ended. */
  async more() {
    const [key, before, service] = [this.inView, this.ended, this.app?.state.service];
    if (!service) return;
    try {
      const page = await listEnded(service, before?.next_cursor ?? null);
      if (key !== this.inView) return;
      this.ended = { ...page, items: [...(before?.items ?? []), ...page.items] };
      this.error = null;
    } catch (caught) {
      if (key === this.inView) this.error = asApiError(caught);
    }
  }

  async again() {
    this.busy = true;
    this.ended = null;
    this.app?.state.waiting?.tidy();
    await Promise.all([this.app?.state.waiting?.look(), this.tab === "decided" ? this.more() : null]);
    this.busy = false;
    announce(`Inbox is up to date. ${this.app?.state.mine.length ?? 0} waiting for you.`);
  }

  render() {
    return html`<div class="head"><h1 tabindex="-1">Inbox</h1> <p class="grow-end"><a href=${this.grants}>Grants of
        conversations</a></p>
        <button type="button" ?disabled=${this.busy} @click=${this.again}>Refresh</button></div>
      <nav class="tabs" aria-label="Inbox"><ul>${TABS.map((one) => this.link(one))}</ul></nav>
      ${this.tab === "decided" ? this.decided() : this.waiting()}`;
  }

  get grants() {
    return `${location.pathname.replace(/\/$/, "")}/grants`;
  }

  /** @param {[string, string]} tab */
  link([tab, label]) {
    const count = tab === "decided" ? 0 : this.items(tab).filter(isOpen).length;
    const address = tab ? `?tab=${tab}` : location.pathname;
    return html`<li><a href=${address} aria-current=${tab === this.tab ? "page" : nothing}>
      ${label} ${count ? html`<span class="count">${count}</span>` : ""}</a></li>`;
  }

  /** What waits, of a tab, and what ended since it came into view. @param {string} tab */
  items(tab) {
    const state = this.app?.state;
    return (state?.waiting?.items ?? []).filter((one) => state?.isMine(one) === (tab === ""));
  }

  waiting() {
    const [state, waiting] = [this.app?.state, this.app?.state.waiting];
    const failed = waiting?.error ? problem(waiting.error, () => this.again()) : nothing;
    if (!state || !waiting?.items) return waiting?.error ? failed : html`<p class="muted">Loading…</p>`;
    const items = this.items(this.tab);
    if (!items.length) return html`${failed}${empty(this.tab, state)}`;
    return html`${failed}${repeat(runs(items), ({ items: [one] }) => one.id, (group) => html`<inbox-group .app=${this.app}
      .session=${group.session} .items=${group.items} .first=${this.first}></inbox-group>`)}`;
  }

  decided() {
    if (this.error) return problem(this.error, () => this.again());
    if (!this.ended) return html`<p class="muted">Loading…</p>`;
    const { items, next_cursor: next } = this.ended;
    if (!items.length && !next && this.app) return empty("decided", this.app.state);
    return html`<section class="group"><ul class="rows links">${repeat(items, (one) => one.id, (one) => row(one, this.app?.state))}</ul>
      </section> ${next ? html`<p><button type="button" @click=${this.more}>Show older ones</button></p>` : ""}`;
  }
}

customElements.define("inbox-page", InboxPage);

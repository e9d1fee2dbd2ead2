// The inbox: what waits for this person, what waits for others, and what was decided.
import { LitElement, html, nothing, repeat } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { byConversation, listEnded } from "../lib/confirmations.js";
import { name } from "../lib/text.js";
import { announce, problem } from "../elements/parts.js";
import { empty, row } from "./inbox-rows.js";

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
    /** The tab and workspace of `ended`. */
    this.endedOf = "";
  }

  createRenderRoot() {
    return this;
  }

  get tab() {
    const tab = new URLSearchParams(location.search).get("tab") ?? "";
    return TABS.some(([one]) => one === tab) ? tab : "";
  }

  /** Reads the list of the tab when it comes into view. */
  willUpdate() {
    const key = `${this.app?.state.workspace} ${this.tab}`;
    if (this.endedOf === key) return;
    this.endedOf = key;
    [this.ended, this.error] = [null, null];
    if (this.tab === "decided") this.more();
  }

  /** Reads the next page of what has ended. */
  async more() {
    const [key, before] = [this.endedOf, this.ended];
    try {
      const page = await listEnded(this.app?.state.workspace ?? "", before?.next_cursor ?? null);
      if (key !== this.endedOf) return;
      this.ended = { ...page, items: [...(before?.items ?? []), ...page.items] };
      this.error = null;
    } catch (caught) {
      if (key === this.endedOf) this.error = asApiError(caught);
    }
  }

  async again() {
    this.busy = true;
    this.ended = null;
    await Promise.all([this.app?.refresh(), this.tab === "decided" ? this.more() : null]);
    this.busy = false;
    announce(`Inbox is up to date. ${this.app?.state.mine.length ?? 0} waiting for you.`);
  }

  render() {
    return html`<div class="head"><h1 tabindex="-1">Inbox</h1>
        <button type="button" ?disabled=${this.busy} @click=${this.again}>Refresh</button></div>
      <nav class="tabs" aria-label="Inbox"><ul>${TABS.map((one) => this.link(one))}</ul></nav>
      ${this.tab === "decided" ? this.decided() : this.waiting()}`;
  }

  /** @param {[string, string]} tab */
  link([tab, label]) {
    const count = tab === "decided" ? 0 : this.items(tab).length;
    const address = tab ? `?tab=${tab}` : location.pathname;
    return html`<li><a href=${address} aria-current=${tab === this.tab ? "page" : nothing}>
      ${label} ${count ? html`<span class="count">${count}</span>` : ""}</a></li>`;
  }

  /** What waits, of a tab. @param {string} tab */
  items(tab) {
    const state = this.app?.state;
    return (state?.open ?? []).filter((one) => state?.isMine(one) === (tab === ""));
  }

  waiting() {
    const state = this.app?.state;
    if (state?.openError) return problem(state.openError, () => this.again());
    if (!state?.open) return html`<p class="muted">Loading…</p>`;
    const items = this.items(this.tab);
    if (!items.length) return empty(this.tab, state);
    return html`${[...byConversation(items)].map(([session, group]) => html`<section class="group">
      <h2>${session ? html`Conversation ${name(session)}` : "No conversation"}
        <span class="muted">${group.length} waiting</span></h2>
      ${this.list(group)}</section>`)}`;
  }

  decided() {
    if (this.error) return problem(this.error, () => this.again());
    if (!this.ended) return html`<p class="muted">Loading…</p>`;
    const { items, next_cursor: next } = this.ended;
    if (!items.length && !next && this.app) return empty("decided", this.app.state);
    return html`<section class="group">${this.list(items)}</section>
      ${next ? html`<p><button type="button" @click=${this.more}>Show older ones</button></p>` : ""}`;
  }

  /** @param {Confirmation[]} items */
  list(items) {
    return html`<ul class="rows links">${repeat(items, (one) => one.id, (one) => row(one, this.app?.state))}</ul>`;
  }
}

customElements.define("inbox-page", InboxPage);

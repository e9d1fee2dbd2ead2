// The inbox: what this person may decide, their own calls, what waits for others, and what was decided.
import { LitElement, html, nothing, repeat } from "../vendor/lit.js";
import { isOpen } from "../lib/confirmations.js";
import { ROLE, become } from "../lib/session.js";
import { name, plain, word } from "../lib/text.js";
import { head } from "../elements/card-parts.js";
import { announce, edit, folding } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

/** The tabs, as they are in the address. @type {[string, string][]} */
const TABS = [["", "For me"], ["mine", "My calls"], ["others", "For others"], ["decided", "Decided"]];
/** The tabs of those who decide nothing for others. @type {[string, string][]} */
const ASKER_TABS = [["", "My calls"], ["decided", "Decided"]];

/** Neighbours of one conversation, as a group. @param {Confirmation[]} items */
function groups(items) {
  const starts = items.filter((one, n) => one.requester.session !== items[n - 1]?.requester.session || n === 0);
  const at = [...starts.map((one) => items.indexOf(one)), items.length];
  return starts.map((_, n) => items.slice(at[n], at[n + 1]));
}

class InboxPage extends LitElement {
  static properties = { busy: { state: true }, unfolded: { state: true } };

  constructor() {
    super();
    /** @type {import("../app.js").ConsoleApp | undefined} */
    this.app = undefined;
    this.busy = false;
    /** Ids of the confirmations that were unfolded. @type {string[]} */
    this.unfolded = [];
    /** The tab and workspace in view. */
    this.inView = "";
  }

  createRenderRoot() {
    return this;
  }

  get tab() {
    const tab = new URLSearchParams(location.search).get("tab") ?? "";
    return this.tabs.some(([one]) => one === tab) ? tab : "";
  }

  /** Only admins see what others asked for. */
  get tabs() {
    const { state } = this.app ?? {};
    if (state?.onlyAsks) return ASKER_TABS;
    return TABS.filter(([tab]) => tab !== "others" || state?.me?.role !== "editor");
  }

  /** What ended while another tab was in view is not shown. The decided ones have a module of their own. */
  willUpdate() {
    const { workspace, confirmations } = this.app?.state ?? {};
    const key = `${workspace} ${this.tab}`;
    if (this.inView === key) return;
    this.inView = key;
    this.unfolded = [];
    confirmations?.prune();
  }

  async refresh() {
    this.busy = true;
    const decided = /** @type {any} */ (this.querySelector("inbox-decided"));
    await Promise.all([this.app?.state.confirmations?.refresh(), decided?.load?.()]);
    this.busy = false;
    this.app?.state.confirmations?.prune();
    announce(`Inbox is up to date. ${this.app?.state.forMe.length ?? 0} waiting for you.`);
  }

  render() {
    return html`<div class="head"><h1 tabindex="-1">${this.app?.state.onlyAsks ? "My calls" : "Inbox"}</h1>
        <p class="actions"><a class="button" href=${this.address("grants")}>Grants</a>
          <button type="button" ?disabled=${this.busy} @click=${this.refresh}>Refresh</button></p></div>
      <nav class="tabs" aria-label="Inbox"><ul>${this.tabs.map((one) => this.link(one))}</ul></nav>
      ${this.tab === "" ? this.packs() : nothing} ${this.tab === "decided" ? this.decided() : this.pending()}`;
  }

  /** In a demo: where packs are on. */
  packs() {
    const { session, workspaceName } = this.app?.state ?? {};
    const one = session?.people?.find((person) => person.packs.length && person.workspace !== workspaceName);
    if (!one) return nothing;
    return html`<div class="notice"><p>This demo has another workspace, ${name(one.workspace)}, with data of the pack
        ${plain(one.packs.join(" and "))}.</p>
      <p><button type="button" @click=${() => this.app?.attempt(() => become(one.user_id))}>Switch to its
        ${word(ROLE, one.role).toLowerCase()}</button></p></div>`;
  }

  /** The address of a page below the inbox. @param {string} part */
  address(part) {
    return `${location.pathname.replace(/\/$/, "")}/${encodeURIComponent(part)}`;
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
    const all = state?.confirmations?.items ?? [];
    if (!state || state.onlyAsks) return all;
    if (tab === "mine") return all.filter((one) => state.isMine(one));
    return all.filter((one) => (tab === "" ? state.isForMe(one) : !state.isForMe(one) && !state.isMine(one)));
  }

  decided() {
    import("./inbox-decided.js");
    return html`<inbox-decided .app=${this.app} .inView=${this.inView}></inbox-decided>`;
  }

  pending() {
    const confirmations = this.app?.state.confirmations;
    const failed = confirmations?.error ? problem(confirmations.error, () => this.refresh()) : nothing;
    if (!confirmations?.items) return confirmations?.error ? failed : html`<p class="muted">Loading…</p>`;
    const items = this.items(this.tab);
    if (items.length) return html`${failed}${repeat(groups(items), ([one]) => one.id, (group) => this.group(group))}`;
    import("./inbox-empty.js");
    return html`${failed}<inbox-empty .app=${this.app} .tab=${this.tab}></inbox-empty>`;
  }

  /** @param {Confirmation[]} group */
  group(group) {
    const { session } = group[0].requester;
    const title = session ? html`Conversation ${name(session)}` : "No conversation";
    return html`<section class="group"><h2 tabindex="-1">${title}
        <span class="muted">${group.filter(isOpen).length} waiting</span></h2>
      <ul class="cards" @confirmation=${this.changed}>${repeat(group, (one) => one.id,
        (one) => html`<li>${this.card(one)}</li>`)}</ul>
      ${session ? html`<inbox-deny-all .app=${this.app} .items=${group}></inbox-deny-all>` : nothing}
      ${session && group.filter((one) => isOpen(one) && this.app?.state.isForMe(one)).length > 1
        && !customElements.get("inbox-deny-all") ? html`<p><button type="button" class="quiet"
          @click=${this.askDenyAll}><span>Deny all of ${name(session)}…</span></button></p>` : nothing}</section>`;
  }

  /** The form is loaded once it is wanted. @param {Event & { currentTarget: HTMLElement }} event */
  async askDenyAll({ currentTarget }) {
    const section = currentTarget.closest("section");
    await import("./inbox-deny-all.js");
    this.requestUpdate();
    await this.updateComplete;
    await /** @type {any} */ (section?.querySelector("inbox-deny-all"))?.ask();
  }

  /** A row, or the card that it unfolds to. @param {Confirmation} one */
  card(one) {
    const state = this.app?.state;
    const me = state?.session?.user?.id ?? "";
    const fold = () => this.fold(one.id);
    if (!this.unfolded.includes(one.id)) {
      return html`<article class="confirmation folded ${one.level}" aria-labelledby="title-${one.id}">${head(one,
        { me, level: 3, wrap: folding(false, fold) })}</article>`;
    }
    const links = { page: this.address(one.id), grants: this.address("grants"), other: this.address("") };
    return html`<toolcrib-confirmation .confirmation=${one} .service=${state?.service} .me=${me} .level=${3}
      .links=${links} .wrap=${folding(true, fold)} .edit=${edit}></toolcrib-confirmation>`;
  }

  /** @param {string} id */
  async fold(id) {
    await import("../elements/confirmation.js");
    const others = this.unfolded.filter((one) => one !== id);
    this.unfolded = this.unfolded.length > others.length ? others : [...others, id];
    await this.updateComplete;
    // The button that was pressed is another one now.
    const cards = /** @type {NodeListOf<LitElement>} */ (this.querySelectorAll("toolcrib-confirmation"));
    await Promise.all([...cards].map((card) => card.updateComplete));
    /** @type {HTMLElement | null} */ (this.querySelector(`#title-${id} button`))?.focus();
  }

  /** @param {CustomEvent<Confirmation>} event */
  changed(event) {
    this.app?.state.confirmations?.put(event.detail);
  }
}

customElements.define("inbox-page", InboxPage);

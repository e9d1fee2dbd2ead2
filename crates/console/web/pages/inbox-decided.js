// What was decided, or ended otherwise, newest first.
import { html, repeat } from "../vendor/lit.js";
import { SIGN, STATUS, TEXTS, name, plain, text, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { requester, personName } from "../elements/card-parts.js";
import { Page } from "../elements/page.js";
import "./inbox-empty.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

/**
 * One confirmation that has ended: the sentence is the link.
 * @param {Confirmation} one
 * @param {string} me
 */
function row(one, me) {
  return html`<li class="row ${one.level === "typed" ? "danger" : ""}">
    <span class="sign" aria-hidden="true">${SIGN[one.level] ?? "?"}</span>
    <div class="what">
      <a href="${location.pathname.replace(/\/$/, "")}/${encodeURIComponent(one.id)}">${text(one.description)}</a>
      <p class="small muted"><code>${plain(one.action)}</code> <span>${plain(word(TEXTS, one.level))}</span></p>
      <p class="small muted">${requester(one, me)}</p>
    </div>
    <div class="state">
      <span class="tag ${one.status}">${plain(word(STATUS, one.status))}</span>
      <span class="small">${ended(one, me)}</span>
    </div>
  </li>`;
}

/** When it ended, by whom, and why. @param {Confirmation} one @param {string} me */
function ended(one, me) {
  // The service notices an expiry later than it happens.
  const at = one.status === "expired" ? one.expires_at : one.decided_at;
  const by = one.decided_by ? html`by ${personName(one.decided_by, one.decided_by_name, me)}` : "";
  return html`${at ? html`<time datetime=${at}>${formatTime(at)}</time>` : ""} ${by}
    ${one.reason ? html`<span class="reason">“${name(one.reason)}”</span>` : ""}`;
}


/** @extends {Page<{ items: Confirmation[], next_cursor: string | null }>} */
class InboxDecided extends Page {
  static properties = { ...Page.properties, app: {}, inView: {} };

  /** @param {string} [cursor] */
  read(cursor) {
    const query = new URLSearchParams({ limit: "50", status: "ended", ...(cursor ? { cursor } : {}) });
    return this.call("GET", `/v1/confirmations?${query}`);
  }

  /** Reads the next page. */
  more() {
    return this.act(async () => {
      const [before, page] = [this.data, await this.read(this.data?.next_cursor ?? "")];
      this.data = { ...page, items: [...(before?.items ?? []), ...page.items] };
    });
  }

  render() {
    return this.renderData(({ items, next_cursor: next }) => {
      if (!items.length && !next) return html`<inbox-empty .app=${this.app} tab="decided"></inbox-empty>`;
      const me = this.app?.state.session?.user?.id ?? "";
      const older = html`<p><button type="button" ?disabled=${this.busy} @click=${this.more}>Show older
        ones</button></p>`;
      return html`<section class="group">
          <ul class="rows links">${repeat(items, (one) => one.id, (one) => row(one, me))}</ul></section>
        ${next ? older : ""}`;
    });
  }
}

customElements.define("inbox-decided", InboxDecided);

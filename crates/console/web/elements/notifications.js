// The notifications of the person in the workspace in view.
import { LitElement, html, repeat } from "../vendor/lit.js";
import { asApiError, call } from "../lib/api.js";
import { plain, text } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { announce } from "./console-parts.js";
import { problem } from "./parts.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/notifications"]["get"]["responses"][200]["content"]} Content
 * @typedef {Content["application/json"]} NotificationPage
 * @typedef {NotificationPage["items"][number]} Notification
 */

class NotificationList extends LitElement {
  static properties = { workspace: {}, page: { state: true }, error: { state: true } };

  constructor() {
    super();
    this.workspace = "";
    /** What was read; null before. @type {NotificationPage | null} */
    this.page = null;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("workspace") || !this.workspace) return;
    this.page = null;
    this.more();
  }

  /** Reads the next page. */
  async more() {
    const [workspace, before] = [this.workspace, this.page];
    const cursor = before?.next_cursor;
    const query = new URLSearchParams({ limit: "10", ...(cursor ? { cursor } : {}) });
    await this.attempt(async () => {
      const page = await call("GET", `/v1/notifications?${query}`, { workspace });
      if (workspace === this.workspace) this.page = { ...page, items: [...(before?.items ?? []), ...page.items] };
    });
  }

  /** @param {Notification} one */
  async read(one) {
    await this.attempt(async () => {
      const path = `/v1/notifications/${encodeURIComponent(one.id)}/read`;
      const after = await call("POST", path, { workspace: this.workspace, body: {} });
      const items = this.page?.items.map((other) => (other.id === one.id ? after : other)) ?? [];
      if (this.page) this.page = { ...this.page, items };
      this.changed("It is marked as read.");
    });
  }

  async readAll() {
    await this.attempt(async () => {
      await call("POST", "/v1/notifications/read", { workspace: this.workspace, body: {} });
      const items = this.page?.items.map((one) => ({ ...one, read_at: one.read_at ?? one.created_at })) ?? [];
      if (this.page) this.page = { ...this.page, items };
      this.changed("All are marked as read.");
    });
  }

  /** @param {string} said */
  changed(said) {
    announce(said);
    this.dispatchEvent(new Event("read"));
  }

  /** @param {() => Promise<unknown>} work */
  async attempt(work) {
    this.error = null;
    try {
      await work();
    } catch (caught) {
      this.error = asApiError(caught);
    }
  }

  render() {
    if (!this.workspace) return "";
    return html`<section class="group after">${this.error ? problem(this.error) : ""}
      ${this.page ? this.list(this.page) : this.error ? "" : html`<p class="muted">Loading…</p>`}</section>`;
  }

  /** @param {NotificationPage} page */
  list({ items, next_cursor: next }) {
    if (!items.length) {
      return html`<p>None yet. A call that waits for you, its end, and for admins what others did, appear here.</p>`;
    }
    const unread = items.some((one) => !one.read_at && !one.ended);
    return html`<div class="actions"><button type="button" ?disabled=${!unread} @click=${this.readAll}>Mark all as
        read</button></div>
      <ul class="rows">${repeat(items, (one) => one.id, (one) => this.row(one))}</ul>
      ${next ? html`<div class="actions"><button type="button" @click=${this.more}>Show older ones</button></div>`
        : ""}`;
  }

  /** @param {Notification} one */
  row(one) {
    const confirmation = /** @type {{ confirmation_id?: string }} */ (one.data ?? {}).confirmation_id;
    return html`<li><span class="grow"><strong>${text(one.title)}</strong> <span>${text(one.body)}</span>
        <span class="small muted"><time datetime=${one.created_at}>${formatTime(one.created_at)}</time>
          ${confirmation ? html`<a href="/approve/${encodeURIComponent(confirmation)}">Open the confirmation</a>` : ""}
        </span></span>
      ${one.ended || one.read_at ? html`<span class="small muted">${one.ended ? "ended" : "read"}</span>`
        : html`<button type="button" class="quiet"
        @click=${() => this.read(one)}>Mark as read<span class="unseen">: ${plain(one.title)}</span></button>`}</li>`;
  }
}

customElements.define("notification-list", NotificationList);

// The page of a system admin: every workspace with its limits, and a form that makes one with its owner.
import { html, repeat } from "../vendor/lit.js";
import { call } from "../lib/api.js";
import { name, shortId } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { withQuery } from "../lib/address.js";
import { field } from "../elements/blocks.js";
import { Page } from "../elements/page.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/workspaces"]["get"]["responses"][200]["content"]} Content
 * @typedef {Content["application/json"]} WorkspacePage
 * @typedef {WorkspacePage["items"][number]} Workspace
 * @typedef {import("./settings-parts.js").Settings} Settings
 */

/** The limits that a system admin changes, and what they count. @type {Record<string, string>} */
const LIMITS = {
  write_per_minute: "Writes a minute", read_per_minute: "Reads a minute",
  external_per_minute: "Connectors a minute", client_per_minute: "Tools that callers run, a minute",
};

/** @extends {Page<WorkspacePage>} */
class SystemPage extends Page {
  constructor() {
    super();
    /** The settings of the workspaces that were opened, by id. @type {Record<string, Settings>} */
    this.settings = {};
  }

  read() {
    const cursor = this.query.get("cursor");
    return call("GET", `/v1/workspaces?${new URLSearchParams({ limit: "100", ...(cursor ? { cursor } : {}) })}`);
  }

  /** @param {string} id */
  async open(id) {
    if (this.settings[id]) return;
    await this.act(async () => { this.settings[id] = await call("GET", "/v1/settings", { workspace: id }); }, id);
  }

  /** @param {import("../elements/blocks.js").FormEvent} event @param {string} id */
  async limit(event, id) {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget)].map(([key, value]) => [key, Number(value)]);
    const before = this.settings[id];
    await this.act(async () => {
      const options = { workspace: id, body: { limits: Object.fromEntries(given) }, version: `"${before.version}"` };
      this.settings[id] = await call("PATCH", "/v1/settings", options);
    }, id, "The limits are saved.");
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  async make(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const { name: called, subject, issuer } = Object.fromEntries(new FormData(form));
    const body = { name: called, owner: issuer ? { subject, issuer } : { subject } };
    if (!(await this.act(() => call("POST", "/v1/workspaces", { body }), "", "The workspace is made."))) return;
    form.reset();
    await this.load();
  }

  render() {
    if (!this.app?.state.session?.system_admin) {
      return html`<h1 tabindex="-1">System</h1><p class="lead">Only a system admin opens this page.</p>`;
    }
    return html`<h1 tabindex="-1">System</h1>
      <p class="lead muted">Every workspace and its limits. Who its people are is decided in a workspace, by its owners
        and admins; a new one begins with its owner.</p>
      ${this.renderData((page) => this.list(page))}
      <section class="group after"><h2>Make a workspace</h2>
        <form class="filters" @submit=${this.make} autocomplete="off">${field("name", "Name", null)}
          ${field("subject", "Subject of its owner", null)} ${field("issuer", "Issuer", null, "That of your own token")}
          <button type="submit" ?disabled=${this.busy}>Make</button></form>${this.feedback()}</section>`;
  }

  /** @param {WorkspacePage} page */
  list({ items, next_cursor: next }) {
    if (!items.length) return html`<div class="empty"><p><strong>There is no workspace.</strong></p></div>`;
    return html`<ul class="rows after">${repeat(items, (one) => one.id, (one) => this.row(one))}</ul>
      ${next ? html`<p class="after"><a class="button" href=${withQuery({ cursor: next })}>More</a></p>` : ""}`;
  }

  /** @param {Workspace} one */
  row(one) {
    const settings = this.settings[one.id];
    const toggle = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget: { open } }) =>
      open && this.open(one.id);
    return html`<li><details class="audit" @toggle=${toggle}><summary><span class="grow">
        <strong>${name(one.name)}</strong>
        <span class="small muted">${shortId(one.id)}, since ${formatTime(one.created_at)}</span></span></summary>
      ${settings ? html`<form class="filters" @submit=${(/** @type {any} */ event) => this.limit(event, one.id)}>
        ${Object.entries(LIMITS).map(([limit, label]) => html`<label>${label} <input name=${limit} type="number" min="1"
          required .value=${String(/** @type {any} */ (settings.limits)[limit])}></label>`)}
        <button type="submit" ?disabled=${this.busy}>Save the limits</button></form>` : ""}
      ${this.feedback(one.id)}</details></li>`;
  }
}

customElements.define("system-page", SystemPage);

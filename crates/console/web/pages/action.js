// One action: what it does, why the caller may call it or not, a call to try, code to copy, and its last calls.
import { html } from "../vendor/lit.js";
import { formQuery, withQuery } from "../lib/address.js";
import { actionPath } from "../lib/actions.js";
import { pageAddress } from "../routes.js";
import { plain } from "../lib/text.js";
import { sign, tabs } from "../elements/blocks.js";
import { Page } from "../elements/page.js";

/**
 * @typedef {import("../lib/actions.js").Action} Action
 * @typedef {object} Data one of these, by the tab
 * @property {Action} [action]
 * @property {import("../lib/actions.js").Explanation} [explanation]
 * @property {import("../lib/audit.js").Row[]} [calls]
 */

/** The tabs, as they are in the address. @type {[string, string][]} */
const TABS = [
  ["", "What it does"], ["why", "Why or why not"], ["try", "Try it"], ["code", "Code"], ["calls", "Last calls"],
];
/** Tabs that need `audit:read`. */
const FOR_ADMINS = ["why", "calls"];

/** @extends {Page<Data>} */
class ActionPage extends Page {
  constructor() {
    super();
    /** The action, as it was read last: several tabs show it. @type {Action | null} */
    this.action = null;
    /** Modules that only some tabs need, once they are loaded. @type {typeof import("./action-parts.js") | null} */
    this.parts = null;
    /** @type {typeof import("../elements/audit-rows.js") | null} */
    this.rows = null;
  }

  /** The name of the action, from the address. */
  get name() {
    return this.pathPart("action");
  }

  get tab() {
    return this.tabOf(TABS);
  }

  get isRefused() {
    return FOR_ADMINS.includes(this.tab) && !this.may("audit:read");
  }

  dataKey() {
    return JSON.stringify([this.name, this.tab, this.tab === "why" ? this.query.get("user") : null]);
  }

  async read() {
    if (this.isRefused) return {};
    if (this.tab === "try") await import("../elements/try-call.js");
    else if (this.tab === "calls") this.rows = await import("../elements/audit-rows.js");
    else this.parts = await import("./action-parts.js");
    if (this.tab === "why") {
      const user = this.query.get("user");
      const query = new URLSearchParams({ action: this.name, ...(user ? { user } : {}) });
      return { explanation: await this.call("GET", `/v1/access/explain?${query}`) };
    }
    if (this.tab === "calls") {
      const query = new URLSearchParams({ group: "call", action: this.name, limit: "20" });
      return { calls: (await this.call("GET", `/v1/audit?${query}`)).items };
    }
    if (this.action?.name !== this.name) this.action = await this.call("GET", actionPath(this.name));
    return { action: this.action ?? undefined };
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    event.preventDefault();
    this.app?.go(withQuery(formQuery(event.currentTarget)), false);
  }

  render() {
    const known = this.action?.name === this.name ? this.action : this.data?.explanation;
    const level = known?.permission_level;
    const shown = TABS.filter(([tab]) => !FOR_ADMINS.includes(tab) || tab === this.tab || this.may("audit:read"));
    return html`<p class="small"><a href=${pageAddress(this.workspace, "actions")}>Actions</a></p>
      <h1 tabindex="-1">${level ? sign(level) : ""} <code>${plain(this.name)}</code></h1>
      ${tabs("Action", shown, this.tab, (tab) => (tab ? `?tab=${tab}` : location.pathname))}
      ${this.isRefused ? this.forbidden("audit:read") : this.content()}`;
  }

  content() {
    if (this.tab === "why") {
      return html`${this.parts?.person(this.query.get("user"), (event) => this.submit(event))}
        ${this.renderData(({ explanation }) =>
          (explanation ? this.parts?.explanation(explanation, this.workspace) : ""))}`;
    }
    if (this.tab === "calls") return this.renderData(({ calls = [] }) => this.calls(calls));
    return this.renderData(({ action }) => (action ? this.show(action) : ""));
  }

  /** @param {Action} action */
  show(action) {
    if (this.tab === "code") return this.parts?.code(action, this.workspace);
    if (this.tab === "") return this.parts?.about(action);
    return html`<try-call .workspace=${this.workspace} .action=${action.name}
      .schema=${action.input_schema}></try-call>`;
  }

  /** @param {import("../lib/audit.js").Row[]} calls */
  calls(calls) {
    const all = `${pageAddress(this.workspace, "audit")}?${new URLSearchParams({ action: this.name })}`;
    if (!calls.length) return this.rows?.noRows("Nobody has called this action.", "A refused call appears here too.");
    return html`${this.rows?.auditCalls(calls, this.workspace)}
      <p class="after"><a href=${all}>All calls of this action in the audit log</a></p>`;
  }
}

customElements.define("action-page", ActionPage);

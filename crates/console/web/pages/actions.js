// The actions: what the caller may call, search in one's own words, and for admins who may call what.
import { html } from "../vendor/lit.js";
import { formQuery, withQuery } from "../lib/address.js";
import { listActions } from "../lib/actions.js";
import { tabs } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { catalogue, filters, hits, matrix, report, reportForm } from "./actions-parts.js";
import { whomOf } from "./whom.js";

/**
 * @typedef {import("../lib/actions.js").Summary} Action
 * @typedef {object} Data one of these, by the tab and the search
 * @property {Action[]} [actions]
 * @property {import("../lib/actions.js").Hits} [hits]
 * @property {import("../lib/actions.js").Matrix} [matrix]
 * @property {import("../lib/actions.js").Report} [report]
 */

/** The tabs, as they are in the address. Those for admins need `audit:read`. @type {[string, string][]} */
const TABS = [["", "Yours"], ["matrix", "By role"], ["as", "As somebody"]];

/** @extends {Page<Data>} */
class ActionsPage extends Page {
  get tab() {
    return this.tabOf(TABS);
  }

  /** Level and category choose among the actions that were read. */
  dataKey() {
    const asked = this.tab === "" ? this.query.get("q") : this.tab === "as" ? whomOf(this.query) : null;
    return JSON.stringify([this.tab, asked]);
  }

  async read() {
    const [call, query] = [this.call.bind(this), this.query];
    const whom = new URLSearchParams(whomOf(query));
    if (this.tab && !this.may("audit:read")) return {};
    if (this.tab === "matrix") return { matrix: await call("GET", "/v1/access/matrix") };
    if (this.tab === "as") return { report: await call("GET", `/v1/access/report?${whom}`) };
    const words = query.get("q");
    const body = { query: words, limit: 10, include_schema: false };
    return words ? { hits: await call("POST", "/v1/tools/search", { body }) } : { actions: await listActions(call) };
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    event.preventDefault();
    this.app?.go(withQuery(formQuery(event.currentTarget)), false);
  }

  render() {
    const shown = this.may("audit:read") ? TABS : TABS.slice(0, 1);
    return html`<h1 tabindex="-1">Actions</h1>
      ${shown.length > 1 || this.tab ? tabs("Actions", shown, this.tab, address)
        : html`<p class="lead muted">What you may call in this workspace.</p>`}
      ${this.tab && !this.may("audit:read") ? this.forbidden("audit:read") : this.content()}`;
  }

  content() {
    const [query, submit] = [this.query, this.submit.bind(this)];
    if (this.tab === "matrix") {
      return this.renderData((data) => (data.matrix ? matrix(data.matrix, this.workspace) : ""));
    }
    if (this.tab === "as") {
      return html`${reportForm(query, this.data?.report?.caller_types, submit)}
        ${this.renderData((data) => (data.report ? report(data.report, this.workspace) : ""))}`;
    }
    return html`${filters(query, this.data?.actions ?? null, submit)}
      ${this.renderData((data) => (data.hits ? hits(data.hits, this.workspace)
        : catalogue(data.actions ?? [], query, this.workspace)))}`;
  }
}

/** @param {string} tab */
const address = (tab) => (tab ? `?tab=${tab}` : location.pathname);

customElements.define("actions-page", ActionsPage);

// The audit log: rows by any of their fields, and how many there are of each decision.
import { html } from "../vendor/lit.js";
import { formQuery, withQuery } from "../lib/address.js";
import { auditQuery, DECISION, TIME_FILTERS } from "../lib/audit.js";
import { plain, word } from "../lib/text.js";
import { pluralize, number } from "../elements/blocks.js";
import { auditRows, noRows } from "../elements/audit-rows.js";
import { Page } from "../elements/page.js";
import { filters } from "./audit-filters.js";
import { auditTabs } from "./audit-tabs.js";

/** @typedef {{ page: import("../lib/audit.js").AuditPage, stats: import("../lib/audit.js").Stats }} Data */

const CONTENT = "Every call has a row here, also a refused one. So has every decision, and every change of a member, a"
  + " key or a setting.";

/** A page is made of 10,000 rows of the log, of which none may match. @param {string | null} next */
const noMatch = (next) => next ? "Of these 10,000 rows none is like that. Older ones may be." : "No row is like that.";

/** @extends {Page<Data>} */
class AuditPage extends Page {
  async read() {
    const query = this.query;
    const [page, stats] = await Promise.all([
      this.call("GET", `/v1/audit?${auditQuery(query, { limit: "50", cursor: query.get("cursor") })}`),
      this.call("GET", `/v1/audit/stats?${auditQuery(query, { by: "decision" })}`),
    ]);
    return { page, stats };
  }

  /** Other filters begin on the first page. @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    event.preventDefault();
    const given = formQuery(event.currentTarget);
    for (const name of Object.keys(TIME_FILTERS)) {
      if (given[name]) given[name] = new Date(given[name]).toISOString();
    }
    this.app?.go(withQuery({ ...given, cursor: null }), false);
  }

  render() {
    return html`<h1 tabindex="-1">Audit</h1>
      ${auditTabs(this.workspace, "")} ${filters(this.query, (event) => this.submit(event))}
      ${this.renderData((data) => this.show(data))}`;
  }

  /** @param {Data} data */
  show({ page, stats }) {
    const isFiltered = auditQuery(this.query).size > 0;
    return html`${this.counts(stats, isFiltered)}
      ${page.items.length ? auditRows(page.items, this.workspace)
        : noRows(isFiltered ? noMatch(page.next_cursor) : "The log has no row.", CONTENT)}
      ${this.paging(page.next_cursor)}`;
  }

  /**
   * The number of rows of each decision, which is a link that filters by it.
   * @param {import("../lib/audit.js").Stats} stats @param {boolean} isFiltered
   */
  counts({ items, total }, isFiltered) {
    return html`<p class="figures" role="status"><span><strong>${pluralize(total, "row")}</strong></span>
      ${items.map((one) => html`<a href=${withQuery({ decision: one.value, cursor: null })}><strong>${
        number(one.count)}</strong> ${plain(word(DECISION, one.value))}</a>`)}
      ${isFiltered ? html`<a href=${location.pathname}>Show all</a>` : ""}</p>`;
  }

  /** @param {string | null} next */
  paging(next) {
    const first = this.query.get("cursor")
      ? html`<a class="button" href=${withQuery({ cursor: null })}>Newest</a>` : "";
    const older = next ? html`<a class="button" href=${withQuery({ cursor: next })}>Older</a>` : "";
    return html`<nav class="actions after" aria-label="Pages of the log">${first} ${older}</nav>`;
  }
}

customElements.define("audit-page", AuditPage);

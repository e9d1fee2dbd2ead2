// The audit log: calls by any of their fields, and how many there are of each decision.
import { html } from "../vendor/lit.js";
import { formQuery, withQuery } from "../lib/address.js";
import { auditQuery, DECISION, FILTERS, showsReads, TIME_FILTERS } from "../lib/audit.js";
import { plain, word } from "../lib/text.js";
import { pluralize, number } from "../elements/blocks.js";
import { auditCalls, noRows } from "../elements/audit-rows.js";
import { Page } from "../elements/page.js";
import { filters } from "./audit-filters.js";
import { auditTabs } from "./audit-tabs.js";

/** @typedef {{ page: import("../lib/audit.js").AuditPage, stats: import("../lib/audit.js").Stats }} Data */

const CONTENT = "Every call is here, also a refused one, with the decisions about it. So is every change of a member, a"
  + " key or a setting.";

/** A page is made of at most 10,000 rows of the log: none of their calls may match. @param {string | null} next */
const noMatch = (next) => next ? "None of the newest calls is like that. Older ones may be." : "No call is like that.";

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
    const isFiltered = FILTERS.some((name) => this.query.get(name));
    return html`${this.counts(stats, isFiltered)}
      ${page.items.length ? auditCalls(page.items, this.workspace)
        : noRows(isFiltered ? noMatch(page.next_cursor) : "The log has no call.", CONTENT)}
      ${this.paging(page.next_cursor)}`;
  }

  /**
   * The number of calls of each decision, which is a link that filters by it.
   * @param {import("../lib/audit.js").Stats} stats @param {boolean} isFiltered
   */
  counts({ items, total }, isFiltered) {
    return html`<p class="figures" role="status"><span><strong>${pluralize(total, "call")}</strong></span>
      ${items.map((one) => html`<a href=${withQuery({ decision: one.value, cursor: null })}><strong>${
        number(one.count)}</strong> ${plain(word(DECISION, one.value))}</a>`)}
      ${isFiltered ? html`<a href=${location.pathname}>Show all</a>` : ""}</p>
      <p class="small after">${this.reads()}</p>`;
  }

  /** The switch for what pages of the console read: most of what a person's session leaves in the log. */
  reads() {
    const shown = showsReads(this.query);
    const change = () => this.app?.go(withQuery({ console_reads: shown ? null : "true", cursor: null }), false);
    return html`<label class="check"><input type="checkbox" name="console_reads" .checked=${shown} @change=${change}>
      Show what this console reads</label>`;
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

// One row of the audit log, at an address that stays.
import { html } from "../vendor/lit.js";
import { pageAddress } from "../routes.js";
import { plain } from "../lib/text.js";
import { auditRow } from "../elements/audit-rows.js";
import { Page } from "../elements/page.js";

/** @typedef {import("../lib/audit.js").Row} Row */

/** @extends {Page<Row>} */
class AuditRowPage extends Page {
  dataKey() {
    return this.pathPart("call");
  }

  read() {
    return this.call("GET", `/v1/audit/${encodeURIComponent(this.pathPart("call"))}`);
  }

  render() {
    return html`<p class="small"><a href=${pageAddress(this.workspace, "audit")}>Audit</a></p>
      <h1 tabindex="-1">Row <code>${plain(this.pathPart("call"))}</code></h1>
      ${this.renderData((row) => this.show(row))}`;
  }

  /** @param {Row} row */
  show(row) {
    return html`<h2 class="unseen">What happened</h2>
      <ul class="rows after"><li>${auditRow(row, this.workspace)}</li></ul>
      <p class="actions after">
        ${row.confirmation_id ? this.link("The call of this confirmation", "confirmation_id", row.confirmation_id) : ""}
        ${row.session ? this.link("The calls of this conversation", "session", row.session) : ""}
        ${row.user_id ? this.link("The calls of this user", "user", row.user_id) : ""}</p>`;
  }

  /** @param {string} label @param {string} filter @param {string} value */
  link(label, filter, value) {
    const address = `${pageAddress(this.workspace, "audit")}?${new URLSearchParams({ [filter]: value })}`;
    return html`<a class="button" href=${address}>${label}</a>`;
  }
}

customElements.define("audit-row-page", AuditRowPage);

// One confirmation: its card, its history, and its call in the audit log.
import { html, nothing } from "../vendor/lit.js";
import { get } from "../lib/confirmations.js";
import { STATUS, plain, shortId, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { home, pageAddress } from "../routes.js";
import { edit } from "../elements/console-parts.js";
import { auditCalls } from "../elements/audit-rows.js";
import { personName } from "../elements/card-parts.js";
import { changes, difference } from "../elements/difference.js";
import { Page } from "../elements/page.js";
import { problem } from "../elements/parts.js";
import "../elements/confirmation.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {Confirmation["history"][number] & { by_name?: string | null }} Entry
 * @typedef {import("../lib/audit.js").Row} AuditRow
 */

/** @extends {Page<Confirmation>} */
class ConfirmationPage extends Page {
  static properties = { ...Page.properties, rows: { state: true } };

  constructor() {
    super();
    /** The call in the audit log, once they were asked for. @type {AuditRow[] | null} */
    this.rows = null;
  }

  dataKey() {
    return location.pathname;
  }

  /** What waits is known already. */
  async read() {
    const { service, confirmations } = this.app?.state ?? {};
    const id = this.pathPart("id");
    this.rows = null;
    if (!service || !confirmations) throw new Error("no workspace is open");
    if (!confirmations.items && !confirmations.error) {
      await new Promise((known) => confirmations.addEventListener("change", known, { once: true }));
    }
    return confirmations.items?.find((one) => one.id === id) ?? get(service, id);
  }

  /** As it is now: what waits changes while it is shown. */
  get one() {
    const id = this.data?.id;
    return this.app?.state.confirmations?.items?.find((one) => one.id === id) ?? this.data;
  }

  /** @param {CustomEvent<Confirmation>} event */
  changed(event) {
    this.data = event.detail;
    this.app?.state.confirmations?.put(event.detail);
    if (this.rows) this.readRows();
  }

  readRows() {
    const query = new URLSearchParams({ group: "call", confirmation_id: this.data?.id ?? "", limit: "20" });
    return this.act(async () => { this.rows = (await this.call("GET", `/v1/audit?${query}`)).items; });
  }

  render() {
    return html`<p class="small"><a href=${home(this.workspace)}>Inbox</a></p><h1 tabindex="-1">Confirmation</h1>
      ${this.renderData(() => (this.one ? this.page(this.one) : nothing))}`;
  }

  /** @param {Confirmation} one */
  page(one) {
    const state = this.app?.state;
    const links = { grants: pageAddress(this.workspace, "inbox", "grants"), other: `${home(this.workspace)}/` };
    return html`<div class="confirmed" @confirmation=${this.changed}>
      <toolcrib-confirmation .confirmation=${one} .service=${state?.service} .me=${state?.session?.user?.id ?? ""}
        .links=${links} .edit=${edit}></toolcrib-confirmation>
      <section class="card"><h2>History</h2>
        <ol class="plain">${one.history.map((entry, n) => this.entry(one, entry, n))}</ol></section>
      ${this.may("audit:read") ? this.audit() : nothing}</div>`;
  }

  /** @param {Confirmation} one @param {Entry} entry @param {number} n */
  entry(one, entry, n) {
    const me = this.app?.state.session?.user?.id ?? "";
    const replaced = entry.replaced_arguments;
    // The arguments that stood until the next change, or that stand now.
    const later = one.history.slice(n + 1).find((next) => next.replaced_arguments);
    const after = later?.replaced_arguments ?? one.arguments;
    return html`<li><time datetime=${entry.at}>${formatTime(entry.at)}</time>
      <span class="tag ${entry.status}">${plain(word(STATUS, entry.status))}</span>
      ${entry.by ? html`by ${personName(entry.by, entry.by_name, me)}` : nothing}
      ${entry.relayed_by ? html`relayed by the key ${shortId(entry.relayed_by)}` : nothing}
      ${replaced ? html`<p class="small">The arguments were changed:</p>${difference(changes(replaced, after))}`
        : nothing}</li>`;
  }

  audit() {
    const read = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget: { open } }) =>
      open && !this.rows && this.readRows();
    return html`<section class="card"><details @toggle=${read}><summary><h2>In the audit log</h2></summary>
      ${this.failure ? problem(this.failure, () => this.readRows()) : nothing}
      ${this.rows ? auditCalls(this.rows, this.workspace) : nothing}</details></section>`;
  }
}

customElements.define("confirmation-page", ConfirmationPage);

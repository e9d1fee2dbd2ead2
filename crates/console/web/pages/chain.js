// The chain of the audit log: whether it holds now, the hash to keep, and a file that is verified in the browser alone.
import { html } from "../vendor/lit.js";
import { pageAddress } from "../routes.js";
import { save } from "../lib/save.js";
import { plain, text } from "../lib/text.js";
import { fact, figure, number } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { announce } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";
import "../elements/verify-file.js";
import { auditTabs } from "./audit-tabs.js";

/** @typedef {import("../lib/audit.js").Verification} Verification */

/** @extends {Page<Verification>} */
class ChainPage extends Page {
  read() {
    return this.call("GET", "/v1/audit/verify");
  }

  /** Saves all sealed rows in a file. */
  async export() {
    const done = await this.act(async () => {
      save(await this.call("GET", "/v1/audit/export", { as: "blob" }), `audit-${this.workspace}.jsonl`);
    });
    if (done) announce("The log is exported.");
  }

  render() {
    return html`<h1 tabindex="-1">Chain</h1>
      ${auditTabs(this.workspace, "chain")}
      <p class="lead">A second or two after it was written, each row gets a place in a chain of hashes. A row that is
        changed, removed, inserted or moved afterwards shows at its place.</p>
      <section class="group"><div class="head"><h2>The log now</h2>
        <span class="actions"><button type="button" ?disabled=${!this.data}
          @click=${() => this.load()}>Verify now</button>
        <button type="button" ?disabled=${this.busy} @click=${() => this.export()}>Export</button></span></div>
        ${this.failure ? problem(this.failure) : ""}
        ${this.renderData((data) => this.show(data))}</section>
      <section class="group"><h2>Verify a file</h2>
        <p>An export of the log is verified in this browser alone: nothing is sent anywhere. <em>Export</em> above saves
          one, as does <code>toolcrib audit export --workspace ${plain(this.workspace)}</code>.</p>
        <verify-file></verify-file></section>`;
  }

  /** @param {Verification} found */
  show(found) {
    return html`<div class="notice ${found.ok ? "good" : "wrong"}" role="status">
        <p><strong>${found.ok ? "The chain holds." : `The chain is broken: ${number(found.defects)} defects.`}</strong>
          ${found.first_bad_seq === null ? "" : `The first is at place ${number(found.first_bad_seq)}.`}</p></div>
      ${found.problems.length ? html`<ul class="rows">${found.problems.map((one) => this.problem(one))}</ul>` : ""}
      <dl class="facts card">
        ${fact("Rows", figure(found.rows, "in the log"))}
        ${fact("Sealed", figure(found.sealed, "with a place in the chain"))}
        ${fact("Not sealed", figure(found.unsealed, "wait for a place"))}
        ${fact("Overdue", figure(found.overdue, "wait for more than ten seconds: no process seals rows"))}
        ${fact("Late", figure(found.late, "were sealed far from their own time, or after much newer rows"))}
        ${fact("Checkpoints", figure(found.checkpoints, `signed, up to place ${number(found.signed_seq)}`))}
        <dt>Head</dt><dd><code>${plain(found.head_hash)}</code>
          <copy-text .value=${found.head_hash} what="hash of the last place"></copy-text></dd></dl>
      <p class="muted">Keep the head elsewhere: it shows later whether the end of the log was cut off
        (<code>toolcrib audit verify --head HASH</code>).</p>`;
  }

  /** @param {Verification["problems"][number]} one */
  problem(one) {
    return html`<li><span class="grow"><strong>Place ${number(one.seq)}</strong><span>${text(one.problem)}</span></span>
      ${one.row_id ? html`<a href=${pageAddress(this.workspace, "audit", one.row_id)}>Row</a>` : ""}</li>`;
  }
}

customElements.define("chain-page", ChainPage);

// Verifies an export of the audit log that a person chooses or drops here. Nothing is sent.
import { LitElement, html } from "../vendor/lit.js";
import { ChainVerifier } from "../lib/chain.js";
import { lineBatches } from "../lib/read-lines.js";
import { name, plain } from "../lib/text.js";
import { pluralize, number } from "./blocks.js";
import { announce } from "./console-parts.js";

/** @typedef {import("../lib/chain.js").Result} Result */

class VerifyFile extends LitElement {
  static properties = {
    file: { state: true }, result: { state: true }, read: { state: true }, wrong: { state: true },
    over: { state: true },
  };

  constructor() {
    super();
    /** @type {File | null} */
    this.file = null;
    /** @type {Result | null} */
    this.result = null;
    /** Lines that were verified, while the file is read; null when none is. @type {number | null} */
    this.read = null;
    this.wrong = "";
    /** The keys that the person trusts. @type {string[]} */
    this.keys = [];
    /** Whether a file is held over the element. */
    this.over = false;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {File | null | undefined} file */
  async verify(file = this.file) {
    if (!file || this.read !== null) return;
    [this.file, this.result, this.wrong, this.read] = [file, null, "", 0];
    this.keys = this.field("key").value.split(/[\s,]+/).filter(Boolean);
    const partial = this.field("partial").checked;
    const verifier = new ChainVerifier({ keys: this.keys, partial });
    try {
      for await (const batch of lineBatches(file)) {
        await verifier.add(batch);
        this.read = verifier.number;
      }
      this.result = verifier.result;
      announce(this.sentence(verifier.result));
    } catch (caught) {
      this.wrong = caught instanceof DOMException && caught.name === "NotSupportedError"
        ? "This browser can't verify Ed25519 signatures. Use scripts/verify-audit, or a newer browser."
        : `The file could not be read: ${caught instanceof Error ? caught.message : caught}`;
    }
    this.read = null;
  }

  /** @param {string} name @returns {HTMLInputElement} */
  field(name) {
    return /** @type {HTMLInputElement} */ (this.querySelector(`input[name=${name}]`));
  }

  /** @param {Result} result */
  sentence({ places, checkpoints, count, defects: [first] }) {
    const read = `${pluralize(places, "row")}, ${pluralize(checkpoints, "checkpoint")}`;
    if (!count) return places ? `Intact: ${read}.` : "The file has no row.";
    const place = first.seq === null ? `line ${number(first.line)}` : `place ${number(first.seq)}`;
    return `Broken at ${place}: ${first.problem}. ${pluralize(count, "defect")} in ${read}.`;
  }

  /** @param {DragEvent} event */
  drag(event) {
    event.preventDefault();
    this.over = event.type === "dragover";
    if (event.type === "drop") this.verify(event.dataTransfer?.files[0]);
  }

  render() {
    const drag = (/** @type {DragEvent} */ event) => this.drag(event);
    return html`<div class="card drop ${this.over ? "over" : ""}" @dragover=${drag} @dragleave=${drag} @drop=${drag}>
        <label for="export">Export, to choose or to drop here</label>
        <input id="export" type="file" accept=".jsonl,.ndjson,.json,.txt"
          @change=${(/** @type {{ target: HTMLInputElement }} */ event) => this.verify(event.target.files?.[0])}>
        <label>Public key that you trust <input name="key" spellcheck="false" autocapitalize="off"
          placeholder="what toolcrib audit key prints"></label>
        <label class="check"><input type="checkbox" name="partial"> The export is a part of the log</label>
        <div class="actions"><button type="button" ?disabled=${!this.file || this.read !== null}
          @click=${() => this.verify()}>Verify again</button></div></div>
      ${this.read === null ? "" : html`<p class="muted" role="status">Verifying… ${number(this.read)} lines</p>`}
      ${this.wrong ? html`<div class="notice wrong" role="alert"><p>${plain(this.wrong)}</p></div>` : ""}
      ${this.result ? this.show(this.result) : ""}`;
  }

  /** @param {Result} result */
  show(result) {
    const isGood = !result.count && result.places > 0;
    return html`<div class="notice ${isGood ? "good" : "wrong"}"><p><strong>${this.sentence(result)}</strong></p>
        <p class="small muted">${name(this.file?.name)}</p></div>
      ${result.defects.length ? html`<ol class="rows" aria-label="Defects">${result.defects.map(defect)}</ol>` : ""}
      <dl class="facts card"><dt>Places</dt><dd>${result.first ?? "–"} to ${result.last ?? "–"}</dd>
        <dt>Signed up to</dt><dd>${result.signed ? `place ${number(result.signed)}` : "no signature in the file"}</dd>
        <dt>Signed with</dt><dd>${result.keys.map((key) => html`<code>${plain(key)}</code> `)}
          ${result.keys.length && !this.keys.length ? html`<span class="muted">No key was given: compare it with
            the service's own.</span>` : ""}</dd>
        <dt>Workspace</dt><dd>${result.workspaces.map((one) => html`<code>${plain(one)}</code> `)}</dd>
        <dt>Head</dt><dd><code>${plain(result.head ?? "")}</code></dd></dl>`;
  }
}

/** @param {import("../lib/chain.js").Defect} one */
const defect = ({ seq, line, problem, id }) => html`<li><span class="grow">
  <strong>${seq === null ? `Line ${number(line)}` : `Place ${number(seq)}`}</strong><span>${plain(problem)}</span>
  ${id ? html`<code class="small">${plain(id)}</code>` : ""}</span></li>`;

customElements.define("verify-file", VerifyFile);

// The control of one argument: a choice, a line, or several lines, as its schema asks.
import { html } from "../vendor/lit.js";
import { sentence, text } from "../lib/text.js";

/**
 * @typedef {object} Control
 * @property {string} id
 * @property {string} value as it is written in the field
 * @property {boolean} wrong
 * @property {(value: string) => void} input
 */

/**
 * What is wrong stands in an element with the id `wrong-…`, and what the argument is about in `about-…`.
 * @param {import("../lib/form.js").Field} field @param {Control} given
 */
export function argumentControl({ kind, options }, { id, value, wrong, input }) {
  const [invalid, about] = [String(wrong), `${wrong ? `wrong-${id} ` : ""}about-${id}`];
  const typed = (/** @type {Event} */ { target }) => input(/** @type {HTMLInputElement} */ (target).value);
  if (kind === "choice") {
    return html`<select id=${id} aria-invalid=${invalid} aria-describedby=${about} @change=${typed}>
      ${["", ...options].map((one) => html`<option value=${one}
        ?selected=${one === value}>${one.replaceAll('"', "") || "—"}</option>`)}</select>`;
  }
  if (kind === "long" || kind === "list" || kind === "json") {
    return html`<textarea id=${id} rows=${kind === "long" ? 3 : 4} spellcheck="false" aria-invalid=${invalid}
      aria-describedby=${about} .value=${value} @input=${typed}></textarea>`;
  }
  return html`<input id=${id} spellcheck="false" autocapitalize="off" aria-invalid=${invalid}
    aria-describedby=${about} .value=${value} @input=${typed}>`;
}

/**
 * What is wrong with an argument, and what it is about.
 * @param {string} id of the control @param {import("../lib/form.js").FieldError[]} wrong @param {string} about
 */
export const notes = (id, wrong, about) => html`
  ${wrong.length ? html`<p class="small error" id="wrong-${id}">${wrong.map(({ message }) =>
    html`${text(sentence(message))} `)}</p>` : ""}
  <p class="small muted" id="about-${id}">${text(about)}</p>`;

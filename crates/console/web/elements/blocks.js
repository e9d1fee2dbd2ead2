// Blocks that several pages have: code, commands, choices of forms, levels and numbers.
import { html, nothing } from "../vendor/lit.js";
import { plain, word } from "../lib/text.js";
import "./console-parts.js";

/** Level of an action: its sign and its word. @type {Record<string, [string, string]>} */
export const PERMISSION_LEVEL = { read: ["○", "read"], write: ["◆", "write"], destructive: ["▲", "destructive"] };

/** @typedef {SubmitEvent & { currentTarget: HTMLFormElement }} FormEvent */

/** @param {number} value */
export const number = (value) => value.toLocaleString("en-US");

/** @param {number} count @param {string} one @param {string} [many] */
export const pluralize = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** Text with its line breaks, and with its hidden characters as code points. @param {string} value */
export const lines = (value) => value.split("\n").map((line) => plain(line)).join("\n");

/**
 * Text in a box of its own, which scrolls.
 * @param {string} label @param {string} value
 */
export const code = (label, value) => html`<pre class="code" tabindex="0" role="region"
  aria-label=${plain(label)}><code>${lines(value)}</code></pre>`;

/** @param {string} label @param {unknown} value */
export const json = (label, value) => code(label, JSON.stringify(value, null, 2) ?? "null");

/**
 * Text to copy.
 * @param {string} value @param {string} what it is, for screen readers
 */
export const snippet = (value, what) => html`<div class="command"><pre><code>${lines(value)}</code></pre>
  <copy-text .value=${value} what=${what}></copy-text></div>`;

/** An entry of a list of facts. @param {unknown} term @param {unknown} value */
export const fact = (term, value) => html`<dt>${term}</dt><dd>${value}</dd>`;

/** A number with what it counts. @param {number} value @param {string} note */
export const figure = (value, note) => html`${number(value)} <span class="muted">${note}</span>`;

/**
 * A choice of a form, with its label.
 * @param {string} field @param {string} label @param {Record<string, string>} words value and text of each option
 * @param {string | null} [chosen]
 */
export function choice(field, label, words, chosen) {
  const option = (/** @type {[string, string]} */ [value, text]) =>
    html`<option value=${value} ?selected=${value === (chosen ?? "")}>${text}</option>`;
  return html`<label>${label} <select name=${field}>${Object.entries(words).map(option)}</select></label>`;
}

/**
 * A text field of a form, with its label.
 * @param {string} field @param {string} label @param {string | null} value @param {string} [placeholder]
 * @param {"text" | "password"} [type]
 */
export const field = (field, label, value, placeholder = "", type = "text") => html`<label>${label} <input
  type=${type} name=${field} autocomplete="off" spellcheck="false" autocapitalize="off" placeholder=${placeholder}
  .value=${value ?? ""}></label>`;

/** The sign of an action's level; screen readers read its word. @param {string} level */
export function sign(level) {
  const [mark, label] = word(PERMISSION_LEVEL, level) || ["?", level];
  return html`<span class="sign ${plain(level)}"><span aria-hidden="true">${mark}</span><span
    class="unseen">${plain(label)}: </span></span>`;
}

/**
 * The tabs of a page.
 * @param {string} label @param {[string, string][]} tabs value in the address, and text @param {string} chosen
 * @param {(tab: string) => string} address
 */
export const tabs = (label, tabs, chosen, address) => html`<nav class="tabs" aria-label=${label}><ul>${tabs.map(
  ([tab, text]) => html`<li><a href=${address(tab)} aria-current=${tab === chosen ? "page" : nothing}>${text}</a></li>`,
)}</ul></nav>`;

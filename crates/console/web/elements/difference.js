// What changed between two values: each place with what stood there and what stands there now.
import { html } from "../vendor/lit.js";
import { isExactNumber } from "../lib/api.js";
import { plain } from "../lib/text.js";
import { within } from "./parts.js";

/** @typedef {{ pointer: string, before: unknown, after: unknown }} Change `undefined` where nothing stood or stands */

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/**
 * The changes, objects member by member and other values as a whole.
 * @param {unknown} before @param {unknown} after @param {string} [pointer]
 * @returns {Change[]}
 */
export function changes(before, after, pointer = "") {
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ pointer, before, after }];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => changes(before[name], after[name], within(pointer, name)));
}

/** @param {unknown} value */
const shown = (value) => (typeof value === "string" ? plain(value) : plain(JSON.stringify(value)));

/** @param {Change[]} changed */
export function difference(changed) {
  if (!changed.length) return html`<p class="small muted">Nothing is changed.</p>`;
  return html`<dl class="changes">${changed.map(({ pointer, before, after }) => html`<div>
    <dt><code>${plain(pointer || "/")}</code></dt>
    <dd>${after === undefined ? html`<em>left out</em>` : html`<ins>${shown(after)}</ins>`}
      ${before === undefined ? html`<span class="muted">new</span>`
        : html`<span class="muted">was:</span> <del>${shown(before)}</del>`}
    </dd></div>`)}</dl>`;
}

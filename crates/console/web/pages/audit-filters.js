// The filters of the audit log.
import { html } from "../vendor/lit.js";
import { CHOICE_FILTERS, TEXT_FILTERS, TIME_FILTERS } from "../lib/audit.js";
import { choice, field } from "../elements/blocks.js";

/** Filters that are always shown. The others unfold. */
const FIRST = ["action", "decision", "outcome", "from", "to"];

/** @param {URLSearchParams} query @param {(event: import("../elements/blocks.js").FormEvent) => void} submit */
export function filters(query, submit) {
  const all = [...Object.keys(TEXT_FILTERS), ...Object.keys(CHOICE_FILTERS), ...Object.keys(TIME_FILTERS)];
  const [first, others] = [FIRST, all.filter((name) => !FIRST.includes(name))];
  const show = (/** @type {string} */ name) => control(name, query.get(name));
  return html`<form @submit=${submit} autocomplete="off"><div class="filters">${first.map(show)}
      <button type="submit">Show</button></div>
    <details class="more" ?open=${others.some((name) => query.get(name))}><summary>More filters</summary>
      <div class="filters">${others.map(show)}<button type="submit">Show</button></div></details></form>`;
}

/** @param {string} name @param {string | null} value */
function control(name, value) {
  if (Object.hasOwn(CHOICE_FILTERS, name)) {
    const [label, words] = CHOICE_FILTERS[name];
    return choice(name, label, { "": "Any", ...words }, value);
  }
  if (Object.hasOwn(TEXT_FILTERS, name)) return field(name, TEXT_FILTERS[name], value);
  return html`<label>${TIME_FILTERS[name]} <input type="datetime-local" step="1" name=${name}
    .value=${local(value)}></label>`;
}

/** A time of the address in the person's own zone, as its field wants it. @param {string | null} value */
function local(value) {
  const date = new Date(value ?? "");
  if (Number.isNaN(date.getTime())) return "";
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

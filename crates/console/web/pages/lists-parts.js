// Parts of the page about tool lists.
import { html, nothing } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { name, plain, text } from "../lib/text.js";
import { DETAIL, FORMAT, STRATEGY, STRICT, DEFAULTS, keyOf, tokens, toolsOf } from "../lib/tool-lists.js";
import { choice, pluralize, json, number } from "../elements/blocks.js";

/**
 * @typedef {import("../lib/tool-lists.js").ToolList} ToolList
 * @typedef {import("../lib/tool-lists.js").ListOptions} ListOptions
 * @typedef {import("../lib/tool-lists.js").StrategySize} StrategySize
 */

/** The strategies by their own names, which is what a client sends. */
const NAMES = Object.fromEntries(Object.keys(STRATEGY).map((one) => [one, one]));

/**
 * @param {ListOptions} options @param {unknown} whom fields about the caller
 * @param {(event: import("../elements/blocks.js").FormEvent) => void} submit
 */
export function form(options, whom, submit) {
  return html`<form class="filters" @submit=${submit} autocomplete="off">
    ${whom}
    ${choice("format", "Format", FORMAT, options.format)}
    ${choice("strategy", "Strategy", NAMES, options.strategy)}
    ${choice("detail", "Detail", DETAIL, options.detail)}
    ${choice("strict", "Strict", STRICT, options.strict)}
    <label>Budget in tokens <input name="max_tokens" type="number" min="1" max="1000000" inputmode="numeric"
      placeholder="None" .value=${String(options.max_tokens ?? "")}></label>
    <label class="broad">The user's words <input name="query" maxlength="20000" spellcheck="false"
      placeholder="Used by the strategy “filtered”" .value=${options.query ?? ""}></label>
    <button type="submit">Show</button>
  </form>`;
}

/** @param {ToolList} list @param {string} who may call the actions */
export function summary(list, who) {
  const count = toolsOf(list).length;
  return html`<p class="figures" role="status"><span><strong>${number(list.tokens)}</strong> tokens</span>
    <span><strong>${number(count)}</strong> ${count === 1 ? "tool" : "tools"}</span>
    <span>for <strong>${number(list.actions)}</strong> actions that ${who} may call</span>
    <span><strong>${number(list.bytes)}</strong> bytes in the answer</span></p>`;
}

/**
 * The tokens of each strategy side by side. A strategy is a link to its list.
 * @param {StrategySize[]} rows @param {ListOptions} chosen
 * @param {unknown} compare what reads the sizes that are not known
 */
export function comparison(rows, chosen, compare) {
  const max = Math.max(1, ...rows.map(({ tokens }) => tokens ?? 0));
  return html`<section class="group"><div class="head"><h2 id="compared">Strategies side by side</h2>
      ${rows.every((row) => row.tokens !== null || row.reason) ? "" : compare}</div>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="compared"><table>
      <thead><tr><th scope="col">Strategy</th><th scope="col" class="count-cell">Tokens</th><td class="bar-cell"></td>
        <th scope="col" class="count-cell">Tools</th><th scope="col">What is in the list</th></tr></thead>
      <tbody>${rows.map((row) => compareRow(row, max, keyOf({ ...chosen, ...named(row) }) === keyOf(chosen)))}</tbody>
    </table></div></section>`;
}

/** @param {StrategySize} size */
const named = ({ strategy, detail }) => ({ strategy, detail });

/** @param {StrategySize} size @param {number} max @param {boolean} current */
function compareRow({ strategy, detail, tokens, tools, reason }, max, current) {
  const label = strategy === "full" && detail === "names" ? "full, names only" : strategy;
  const width = tokens === null ? 0 : Math.max(1, Math.round((tokens / max) * 160));
  const shown = (/** @type {number | null} */ count) => (count === null ? "–" : number(count));
  return html`<tr class=${current ? "current" : ""}>
    <th scope="row"><a href=${address(strategy, detail)}
      aria-current=${current ? "true" : nothing}>${plain(label)}</a></th>
    <td class="count-cell">${shown(tokens)}</td>
    <td class="bar-cell" aria-hidden="true"><svg width="160" height="8">
      <rect width=${width} height="8" rx="2"/></svg></td>
    <td class="count-cell">${shown(tools)}</td>
    <td>${STRATEGY[strategy] ?? ""}
      ${reason ? html`<div class="small muted">Not possible: ${text(reason)}</div>` : ""}</td>
  </tr>`;
}

/** The address with a strategy; the usual words are left out. @param {string} strategy @param {string} detail */
function address(strategy, detail) {
  const others = Object.entries({ strategy, detail }).filter(([key, value]) => value !== DEFAULTS[key]);
  return withQuery({ strategy: null, detail: null, ...Object.fromEntries(others) });
}

/** What strict mode did, and why a tool is not strict. @param {ToolList} list */
export function strictness({ strict, strict_explained: explained }) {
  if (!explained) return "";
  const { budget, not_strict: others } = explained;
  return html`<section class="group"><h2>Strict <span class="muted">${number(strict.length)} of
      ${number(strict.length + others.length)} tools</span></h2>
    ${budget.length ? html`<dl class="facts">${budget.map((one) => html`<dt>${text(one.what)}</dt>
      <dd>${number(one.used)} of at most ${number(one.most)}</dd>`)}</dl>` : ""}
    ${others.length ? html`<details><summary>${number(others.length)} not strict and why</summary>
      <dl class="reasons">${others.map((one) => html`<dt><code>${plain(one.name)}</code></dt>
        <dd>${text(one.reason)}</dd>`)}</dl></details>` : html`<p>Every tool is strict.</p>`}
  </section>`;
}

/** What the budget left out. @param {ToolList} list @param {ListOptions} options */
export function leftOut({ left_out: names }, { max_tokens: budget }) {
  if (!budget) return "";
  return html`<section class="group"><h2>Left out by the budget
      <span class="muted">${pluralize(names.length, "action")}</span></h2>
    ${names.length ? html`<p>The list may cost at most ${number(budget)} tokens, so these are not in it, from its end.
        The actions that are always offered are never left out.</p>
      <details ?open=${names.length <= 12}><summary>What is left out</summary>
        <ul class="names">${names.map((one) => html`<li><code>${plain(one)}</code></li>`)}</ul></details>`
      : html`<p>Nothing: everything fits into ${number(budget)} tokens.</p>`}
  </section>`;
}

/** @param {ToolList} list */
export function tools(list) {
  const all = toolsOf(list);
  if (!all.length) {
    return html`<div class="empty"><p><strong>The list is empty.</strong></p>
      <p>Leave <code>tools</code> and <code>tool_choice</code> out of the model request.</p></div>`;
  }
  return html`<section class="group"><h2>Tools, as the model sees them</h2>
    <ul class="rows">${all.map((one) => html`<li><details><summary>
        <code>${plain(one.name)}</code>
        ${list.strict.includes(one.name) ? html`<span class="tag">strict</span>` : ""}
        <span class="small muted">${number(tokens(one.value))} tokens</span></summary>
      <p>${name(one.description)}</p>
      ${json(`Parameters of ${one.name}`, one.schema)}</details></li>`)}</ul></section>`;
}

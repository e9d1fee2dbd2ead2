// Parts of the page about actions: rows, the matrix of roles, and what somebody else may call.
import { html } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { ROLE } from "../lib/session.js";
import { name, plain, text, word } from "../lib/text.js";
import { choice, pluralize, sign } from "../elements/blocks.js";
import { pageAddress } from "../routes.js";
import { whomFields } from "./whom.js";

/**
 * @typedef {import("../lib/actions.js").Summary} Action
 * @typedef {import("../elements/blocks.js").FormEvent} FormEvent
 */

/** Levels to choose from. */
const LEVELS = { "": "Every level", read: "Read", write: "Write", destructive: "Destructive" };

/** @param {URLSearchParams} query @param {Action[] | null} actions @param {(event: FormEvent) => void} submit */
export function filters(query, actions, submit) {
  const chosen = query.get("category") ?? "";
  const known = [...new Set([...(actions ?? []).map((one) => one.category), ...(chosen ? [chosen] : [])])];
  const categories = Object.fromEntries([["", "Every category"], ...known.map((one) => [one, plain(one)])]);
  return html`<form class="filters" role="search" @submit=${submit} autocomplete="off">
    <label class="broad">Search in your own words <input name="q" type="search" maxlength="2000"
      placeholder="such as: stop an agent" .value=${query.get("q") ?? ""}></label>
    ${query.get("q") ? "" : html`${choice("level", "Level", LEVELS, query.get("level"))}
      ${choice("category", "Category", categories, chosen)}`}
    <button type="submit">Show</button></form>`;
}

/** An action: its sign, its name, what it does. @param {Row} one @param {string} workspace */
function row(one, workspace) {
  return html`<li class="row">
    ${sign(one.level)}
    <div class="what"><a href=${pageAddress(workspace, "actions", one.name)}><code>${plain(one.name)}</code></a>
      ${one.description ? html`<p>${text(one.description)}</p>` : ""}
      <p class="small muted">${one.notes}</p></div>
    <div class="state">${one.tags.map((tag) => html`<span class="tag">${tag}</span>`)}</div></li>`;
}

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} level
 * @property {string} description
 * @property {unknown} notes
 * @property {unknown[]} tags
 */

/** @param {Action} one @returns {Row} */
const rowOf = (one) => ({
  name: one.name, level: one.permission_level, description: one.description,
  notes: html`<code>${plain(one.permission)}</code>`,
  tags: [
    ...(one.promoted ? ["promoted"] : []), ...(one.admin_only ? ["admins only"] : []),
    ...(one.confirmation === "none" ? [] : [`confirmation: ${one.confirmation}`]),
    ...(one.available ? [] : ["not configured"]),
  ],
});

/**
 * The actions by category, as the address chooses.
 * @param {Action[]} all @param {URLSearchParams} query @param {string} workspace
 */
export function catalogue(all, query, workspace) {
  const [level, category] = [query.get("level"), query.get("category")];
  const isChosen = (/** @type {Action} */ one) =>
    (!level || one.permission_level === level) && (!category || one.category === category);
  const shown = all.filter(isChosen);
  const groups = Map.groupBy(shown, (one) => one.category);
  if (!shown.length) {
    return html`<div class="empty"><p><strong>No action of yours is like that.</strong></p>
      <p><a href=${withQuery({ level: null, category: null })}>Show all ${all.length}</a></p></div>`;
  }
  return html`<p class="figures" role="status"><span><strong>${shown.length}</strong> of
      ${pluralize(all.length, "action")} that you may call</span></p>
    ${[...groups].map(([title, actions]) => html`<section class="group"><h2>${name(title)}
      <span class="muted">${actions.length}</span></h2>
      <ul class="rows links">${actions.map((one) => row(rowOf(one), workspace))}</ul></section>`)}`;
}

/** What was found, best first. @param {import("../lib/actions.js").Hits} found @param {string} workspace */
export function hits({ items, hint }, workspace) {
  return html`<p class="figures" role="status"><span><strong>${pluralize(items.length, "action")}</strong> found, best
      first</span> <a href=${withQuery({ q: null })}>Show all</a></p>
    ${hint ? html`<div class="notice"><p class="sentence">${text(hint)}</p></div>` : ""}
    <ul class="rows links">${items.map((one) => row({
      name: one.name, level: one.permission_level, description: one.description,
      notes: `fits by ${Math.round(one.score * 100)} %`,
      tags: one.confirmation === "none" ? [] : [`confirmation: ${one.confirmation}`],
    }, workspace))}</ul>`;
}

/** Which role may call what. @param {import("../lib/actions.js").Matrix} found @param {string} workspace */
export function matrix({ roles, items, total }, workspace) {
  const may = (/** @type {typeof items[0]} */ one, /** @type {typeof roles[0]} */ role) => one.roles[role];
  const cell = (/** @type {boolean} */ allowed) => html`<td class="mark-cell"><span aria-hidden="true">${allowed ? "✓"
    : ""}</span><span class="unseen">${allowed ? "may" : "may not"}</span></td>`;
  return html`<p class="lead" id="matrix">Which role may call which action in this workspace now. A name leads to the
      reasons.</p>
    <div class="scroll matrix" tabindex="0" role="region" aria-labelledby="matrix"><table>
      <thead><tr><th scope="col">Action</th>${roles.map((role) => html`<th scope="col"
        class="mark-cell">${word(ROLE, role)}</th>`)}<th scope="col">Permission</th></tr></thead>
      <tbody>${items.map((one) => html`<tr><th scope="row">${sign(one.permission_level)}
        <a href="${pageAddress(workspace, "actions", one.action)}?tab=why"><code>${plain(one.action)}</code></a></th>
        ${roles.map((role) => cell(may(one, role)))}<td><code>${plain(one.permission)}</code>
        ${one.admin_only ? html`<span class="tag">admins only</span>` : ""}</td></tr>`)}</tbody>
      <tfoot><tr><th scope="row">Of ${pluralize(total, "action")}</th>${roles.map((role) => html`<td
        class="mark-cell">${items.filter((one) => may(one, role)).length}</td>`)}<td></td></tr></tfoot>
    </table></div>`;
}

/**
 * @param {URLSearchParams} query @param {string[] | undefined} types caller types
 * @param {(event: FormEvent) => void} submit
 */
export const reportForm = (query, types, submit) => html`<form class="filters" @submit=${submit} autocomplete="off">
  ${whomFields(query, types)}<button type="submit">Show</button></form>`;

/**
 * What somebody may call, and why not the others.
 * @param {import("../lib/actions.js").Report} found @param {string} workspace
 */
export function report({ title, items, accessible, total }, workspace) {
  return html`<p class="figures" role="status"><span>${text(title)}:</span>
      <span><strong>${accessible}</strong> of ${pluralize(total, "action")}</span></p>
    <ul class="rows links">${items.map((one) => row({
      name: one.action, level: one.permission_level, description: "",
      notes: one.allowed ? html`<code>${plain(one.permission)}</code>` : text(one.explanation ?? one.reason ?? ""),
      tags: [one.allowed ? "may" : "may not"],
    }, workspace))}</ul>`;
}

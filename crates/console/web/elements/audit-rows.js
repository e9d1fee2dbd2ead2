// Calls and rows of the audit log. Each opens with everything that it has.
import { html, repeat } from "../vendor/lit.js";
import { DECISION, OUTCOME, STEP } from "../lib/audit.js";
import { REQUESTER, name, plain, shortId, text, word } from "../lib/text.js";
import { formatSecond } from "../lib/time.js";
import { pageAddress } from "../routes.js";
import { json, number, sign } from "./blocks.js";

/** Fields that the head of a row has, or that are shown in another way. */
const OWN_FIELDS = ["arguments", "principal", "permission_level", "occurred_at", "action", "steps", "outcomes"];

/** @typedef {import("../lib/audit.js").Row} Row */
/** @typedef {import("../lib/audit.js").Step} Step */

/** Calls, as they ended. @param {Row[]} calls @param {string} workspace */
export const auditCalls = (calls, workspace) => html`<ul class="rows">${repeat(calls, (one) => one.id,
  (one) => html`<li>${entry(one, workspace, outcome(one), false)}</li>`)}</ul>`;

/** One row, as it was written. @param {Row} one @param {string} workspace */
export function auditRow(one, workspace) {
  const waited = one.kind === "call" && one.decision === "confirmation_required";
  const decided = html`decision: ${plain(word(DECISION, one.decision))}`;
  return entry(one, workspace, waited ? "waited" : one.kind === "confirmation" ? decided : outcome(one), true);
}

/** @param {Row} one @param {string} workspace @param {unknown} ended @param {boolean} open */
function entry(one, workspace, ended, open) {
  return html`<details class="audit" ?open=${open}><summary>
      ${sign(one.permission_level)}
      <span class="grow"><span><code>${plain(one.action)}</code> ${one.target ? text(one.target) : ""}</span>
        <span class="small muted">${caller(one)}</span></span>
      <span class="state"><span class="tag ${outcomeClass(one)}">${ended}</span>
        <span class="small"><time datetime=${one.occurred_at}>${formatSecond(one.occurred_at)}</time></span></span>
    </summary>${life(one, workspace)} ${facts(one, workspace)}</details>`;
}

/** How the call ended, or why it did not run. @param {Row} one */
const outcome = (one) => plain(one.outcome === "not_run" ? word(DECISION, one.decision) : word(OUTCOME, one.outcome));

/** The class of the outcome, for its colour. @param {Row} one */
const outcomeClass = (one) => (one.outcome === "succeeded" ? "executed"
  : one.decision === "confirmation_required" ? "pending" : one.outcome === "started" ? "" : "failed");

/** Who called, and by what. @param {Row} one */
function caller(one) {
  const person = one.user_id ? (one.user_name ? name(one.user_name) : shortId(one.user_id)) : null;
  const { kind, id } = one.principal;
  const called = one.caller_name ?? one.principal_name;
  const program = html`${word(REQUESTER, kind)} ${called ? name(called) : shortId(id)}`;
  const by = kind === "user" ? person ?? shortId(id) : html`${program}${person ? html`, for ${person}` : ""}`;
  return html`${by} · ${plain(one.surface)}${one.session ? html` · conversation ${name(one.session)}` : ""}`;
}

/** What happened to a call, one line each. @param {Row} one @param {string} workspace */
function life({ steps }, workspace) {
  if (!steps?.length) return "";
  return html`<h3>What happened</h3><ol class="life">${steps.map((step) => html`<li>
    <a href=${pageAddress(workspace, "audit", step.id)}><time datetime=${step.at}>${formatSecond(step.at)}</time></a>
    <span>${happened(step)}</span></li>`)}</ol>`;
}

/** @param {Step} step */
function happened({ step, by, by_name, outcome, duration_ms }) {
  if (step === "ended") return plain(word(OUTCOME, outcome));
  if (step === "ran") {
    const ran = outcome === "failed" ? "ran, and failed" : STEP.ran;
    return html`${ran} <span class="muted">${number(duration_ms)} ms</span>`;
  }
  const who = by && step !== "started" ? html` by ${by_name ? name(by_name) : shortId(by)}` : "";
  return html`${plain(word(STEP, step))}${who}`;
}

/** @param {Row} one @param {string} workspace */
function facts(one, workspace) {
  const rest = Object.entries(one).filter(([key, value]) => !OWN_FIELDS.includes(key) && value !== null && value !== ""
    && !(Array.isArray(value) && !value.length));
  return html`<dl class="facts">
      <dt>time</dt><dd>${plain(one.occurred_at)}</dd>
      <dt>action</dt><dd><a href=${pageAddress(workspace, "actions", one.action)}>${plain(one.action)}</a></dd>
      <dt>principal</dt><dd>${one.principal.kind} <code>${plain(one.principal.id)}</code>${one.principal.credential_id
        ? html`, key <code>${plain(one.principal.credential_id)}</code>` : ""}</dd>
      ${rest.map(([key, value]) => html`<dt>${key}</dt><dd>${fieldValue(key, value, workspace)}</dd>`)}
      ${one.seq === null ? html`<dt>seq</dt><dd>None yet: a row is sealed after a second or two.</dd>` : ""}
    </dl>
    <h3>Arguments</h3>${json("Arguments", one.arguments)}`;
}

/** @param {string} key @param {unknown} value @param {string} workspace */
function fieldValue(key, value, workspace) {
  if (key === "id") return html`<a href=${pageAddress(workspace, "audit", String(value))}>${plain(value)}</a>`;
  if (key === "confirmation_id") {
    return html`<a href="/approve/${encodeURIComponent(String(value))}">${plain(value)}</a>`;
  }
  return name(typeof value === "object" ? JSON.stringify(value) : value);
}

/** @param {string} title @param {string} more what would fill the page */
export const noRows = (title, more) => html`<div class="empty"><p><strong>${title}</strong></p><p>${more}</p></div>`;

// The result of a check of a call, and of a call.
import { html } from "../vendor/lit.js";
import { name, plain, sentence, text } from "../lib/text.js";
import { pluralize, json } from "./blocks.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/actions/{name}/check"]["post"]["responses"][200]} CheckAnswer
 * @typedef {CheckAnswer["content"]["application/json"]} Check
 */

/** @param {Check} check */
export function checkResult(check) {
  const outcome = !check.allowed ? "It would not run."
    : check.requires_confirmation ? "It would wait for a person." : "It would run at once.";
  const left = check.limit_remaining;
  return html`<section class="notice ${check.allowed ? "" : "wrong"}" aria-label="Check"><p><strong>${outcome}</strong>
      ${check.reason ? text(sentence(check.reason)) : ""}</p>
    ${check.errors.length ? html`<ul>${check.errors.map((one) => html`<li><code>${plain(one.pointer || "/")}</code>
      ${text(one.message)}</li>`)}</ul>` : ""}
    ${check.warning ? html`<p>${text(check.warning)}</p>` : ""}
    ${check.summary.length ? html`<dl class="facts">${check.summary.map((one) => html`<dt>${name(one.label)}</dt>
      <dd>${name(one.value)}</dd>`)}</dl>` : ""}
    ${left === null ? "" : html`<p class="small muted">${pluralize(left, "call")} of this kind may be made now.</p>`}
  </section>`;
}

/** @param {any} answer of a call */
export function callResult(answer) {
  const waits = answer.confirmation;
  return html`<section class="group" aria-label="Answer"><h2>${text(answer.description ?? answer.status)}</h2>
    ${waits ? html`<div class="notice"><p>It waits for a person.
      <a href="/approve/${encodeURIComponent(waits.id)}">Open the confirmation</a></p></div>` : ""}
    ${json("Answer of the call", answer)}</section>`;
}

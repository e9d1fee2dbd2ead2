// What a card says below its head: what would run, and how it ended.
import { html, nothing } from "../vendor/lit.js";
import { STATUS, fill, word } from "../lib/strings.js";
import { name, plain, sentence, text } from "../lib/text.js";
import { when } from "../lib/time.js";
import { who } from "./card-head.js";
import { json } from "./json.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 */

/**
 * The warning, the parameters and all arguments.
 * @param {Card} card @param {Confirmation} one
 */
export function asked({ texts }, one) {
  const repaired = one.repaired ?? [];
  const all = Object.keys(/** @type {object} */ (one.arguments) ?? {}).length;
  const second = one.status === "awaiting_phrase";
  const places = repaired.map((pointer) => html`<code>${plain(pointer || texts.wholeText)}</code> `);
  return html`
    ${one.warning ? html`<p class="warning" part="warning">${text(one.warning)}</p>` : nothing}
    ${one.summary.length ? html`<dl>${one.summary.map(({ label, value }) =>
      html`<div><dt>${plain(label)}</dt><dd>${name(value)}</dd></div>`)}</dl>` : nothing}
    <details part="arguments" ?open=${second}>
      <summary>${second ? texts.argumentsAsRun : texts.arguments} (${all})
        ${one.more > 0 ? html`<span class="muted">${fill(texts.more, { count: one.more })}</span>` : nothing}</summary>
      ${json(one.arguments, { marks: repaired, note: texts.repairedHere })}
    </details>
    ${repaired.length ? html`<p class="small">${fill(texts.repaired, { places })}</p>` : nothing}`;
}

/**
 * How it ended, and who decided.
 * @param {Card} card @param {Confirmation} one
 */
export function ended({ me, texts, links, replacement }, one) {
  const at = one.status === "expired" ? one.expires_at : one.decided_at;
  const denied = one.status === "denied";
  // A decision that was not the last word is in the history.
  const told = denied || ["executed", "failed", "unknown"].includes(one.status);
  const by = { who: who(one.decided_by, one.decided_by_name, me, texts) };
  const reason = denied ? html`“${name(one.reason)}”` : text(sentence(one.reason ?? ""));
  const result = /** @type {{ detail?: string, data?: unknown } | null} */ (one.result);
  return html`<div class="ended ${one.status}">
    <p><strong>${texts[one.status] ?? plain(word(STATUS, one.status))}</strong>
      ${one.decided_by && told ? fill(denied ? texts.deniedBy : texts.approvedBy, by) : nothing}
      ${at ? html`<time datetime=${at}>${when(at)}</time>` : nothing}</p>
    ${one.reason ? html`<p class="reason">${reason}</p>` : nothing}
    ${replacement && links.other ? html`<p><a href="${links.other}${replacement}">${texts.replaced}</a></p>` : nothing}
    ${result?.detail ? html`<p>${text(sentence(result.detail))}</p>` : nothing}
    ${result?.data === undefined ? nothing
      : html`<details><summary>${texts.result}</summary>${json(result.data)}</details>`}
  </div>`;
}

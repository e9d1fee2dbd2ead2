// What a card says below its head: what would run, and how it ended.
import { html, nothing } from "../vendor/lit.js";
import { ENDING, STATUS, word } from "../lib/strings.js";
import { name, plain, sentence, text } from "../lib/text.js";
import { when } from "../lib/time.js";
import { who } from "./card-head.js";
import { json } from "./json.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 */

/** The warning, the parameters and all arguments. @param {Confirmation} one */
export function asked(one) {
  const repaired = one.repaired ?? [];
  const all = Object.keys(/** @type {object} */ (one.arguments) ?? {}).length;
  return html`
    ${one.warning ? html`<p class="warning" part="warning">${text(one.warning)}</p>` : nothing}
    ${one.summary.length ? html`<dl>${one.summary.map(({ label, value }) =>
      html`<div><dt>${plain(label)}</dt><dd>${name(value)}</dd></div>`)}</dl>` : nothing}
    <details part="arguments" ?open=${one.status === "awaiting_phrase"}>
      <summary>${one.status === "awaiting_phrase" ? "All arguments, as they will run" : "All arguments"} (${all})
        ${one.more > 0 ? html`<span class="muted">${one.more} more than above</span>` : nothing}</summary>
      ${json(one.arguments, { marks: repaired, note: "read differently from what the model wrote" })}
    </details>
    ${repaired.length ? html`<p class="small">The model's call had mistakes of form, which were repaired:
      ${repaired.map((pointer) => html`<code>${plain(pointer || "the whole text")}</code> `)}</p>` : nothing}`;
}

/** How it ended, and who decided. @param {Card} card @param {Confirmation} one */
export function ended(card, one) {
  const at = one.status === "expired" ? one.expires_at : one.decided_at;
  const denied = one.status === "denied";
  // A decision that was not the last word is in the history.
  const told = denied || ["executed", "failed", "unknown"].includes(one.status);
  const by = one.decided_by && told
    ? html`${denied ? "Denied" : "Approved"} by ${who(one.decided_by, one.decided_by_name, card.me)}` : nothing;
  const result = /** @type {{ detail?: string, description?: string, data?: unknown } | null} */ (one.result);
  return html`<div class="ended ${one.status}">
    <p><strong>${word(ENDING, one.status) || plain(word(STATUS, one.status))}</strong>
      ${by} ${at ? html`<time datetime=${at}>${when(at)}</time>` : nothing}</p>
    ${one.reason ? html`<p class="reason">${denied ? html`“${name(one.reason)}”` : text(sentence(one.reason))}</p>`
      : nothing}
    ${result?.detail ? html`<p>${text(sentence(result.detail))}</p>` : nothing}
    ${result?.data !== undefined ? html`<details><summary>Result</summary>${json(result.data)}</details>` : nothing}
  </div>`;
}

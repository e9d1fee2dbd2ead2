// What a card says: who asked, for how long it waits, what would run, and how it ended.
import { html, nothing } from "../vendor/lit.js";
import { isOpen } from "../lib/confirmations.js";
import { ENDING, LEVEL, REQUESTER, STATUS, word } from "../lib/strings.js";
import { name, plain, sentence, shortId, text } from "../lib/text.js";
import { when } from "../lib/time.js";
import { json } from "./json.js";
import "./time-left.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 */

/** A person or agent: their name, or the start of their id. @param {string | null} id @param {string | null | undefined} known @param {string} me */
export const who = (id, known, me) => (id && id === me ? "you" : known ? name(known) : id ? shortId(id) : "");

/** Who asked, and for whom. @param {Confirmation} one @param {string} me */
export function requester({ requester: { kind, id, user_id: user, ...names } }, me) {
  if (kind === "user" && id === me) return "You asked";
  const kinds = names.name ? "" : html`${plain(word(REQUESTER, kind))} `;
  const owner = kind === "user" || !user ? nothing : html`, for ${who(user, names.user_name, me)}`;
  return html`${kinds}${who(id, names.name, "")}${owner}`;
}

/** @param {Card} card @param {Confirmation} one */
export function head(card, one) {
  const [sign] = word(LEVEL, one.level) || ["?"];
  const title = html`<span class="sign" aria-hidden="true">${sign}</span><span>${text(one.description)}</span>`;
  const heading = card.foldable
    ? html`<button type="button" class="unfold" aria-expanded=${String(!card.folded)} @click=${card.fold}>${title}</button>`
    : html`<span class="title">${title}</span>`;
  return html`<header>
    <div role="heading" aria-level=${card.level} id="title-${one.id}" tabindex="-1" class="heading">${heading}</div>
    <p class="meta">${meta(card, one)}</p></header>`;
}

/** @param {Card} card @param {Confirmation} one */
function meta(card, one) {
  const [, level] = word(LEVEL, one.level) || ["", one.level];
  const session = one.requester.session;
  return html`<span><code>${plain(one.action)}</code></span> <span>${plain(level)}</span>
    <span>${requester(one, card.me)}</span>
    ${session ? html`<span>conversation ${name(session)}</span>` : nothing}
    ${isOpen(one) ? html`<span><toolcrib-time-left .until=${one.expires_at} @time-over=${card.timeOver}></toolcrib-time-left></span>`
      : html`<span class="tag ${one.status}">${plain(word(STATUS, one.status))}</span>`}`;
}

/** The warning, the parameters and all arguments. @param {Card} card @param {Confirmation} one */
export function asked(card, one) {
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
    ${repaired.length ? html`<p class="small">The model's call had mistakes of form, which were repaired: ${repaired.map(
      (pointer) => html`<code>${plain(pointer || "the whole text")}</code> `)}</p>` : nothing}`;
}

/** How it ended, and who decided. @param {Card} card @param {Confirmation} one */
export function ended(card, one) {
  const at = one.status === "expired" ? one.expires_at : one.decided_at;
  const verb = ["denied", "superseded", "void", "expired"].includes(one.status) ? "Denied" : "Approved";
  const by = one.decided_by && verb !== "Denied" || one.status === "denied"
    ? html`${verb} by ${who(one.decided_by, one.decided_by_name, card.me)}` : nothing;
  const result = /** @type {{ detail?: string, description?: string, data?: unknown } | null} */ (one.result);
  return html`<div class="ended ${one.status}">
    <p><strong>${word(ENDING, one.status) || plain(word(STATUS, one.status))}</strong>
      ${by} ${at ? html`<time datetime=${at}>${when(at)}</time>` : nothing}</p>
    ${one.reason ? html`<p class="reason">${one.status === "denied" ? html`“${name(one.reason)}”` : text(sentence(one.reason))}</p>` : nothing}
    ${result?.detail ? html`<p>${text(sentence(result.detail))}</p>` : nothing}
    ${result?.data !== undefined ? html`<details><summary>Result</summary>${json(result.data)}</details>` : nothing}
  </div>`;
}

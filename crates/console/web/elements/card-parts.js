// The parts of a card: its head (the request, its caller, the time left), what would run, and the outcome.
import { html, nothing } from "../vendor/lit.js";
import { isOpen } from "../lib/confirmations.js";
import { REQUESTER, SIGN, STATUS, TEXTS, fill, name, plain, sentence, shortId, text, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { json } from "./parts.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 */

/**
 * A person or agent: their name, or the start of their id.
 * @param {string | null} id @param {string | null | undefined} known @param {string} me @param {typeof TEXTS} [texts]
 */
export function personName(id, known, me, texts = TEXTS) {
  if (id && id === me) return texts.you;
  return known ? name(known) : id ? shortId(id) : "";
}

/**
 * Who asked, and for whom.
 * @param {Confirmation} one @param {string} me @param {typeof TEXTS} [texts]
 */
export function requester({ requester: { kind, id, user_id: user, ...names } }, me, texts = TEXTS) {
  if (kind === "user" && id === me) return texts.youAsked;
  const kinds = names.name ? "" : html`${plain(word(REQUESTER, kind))} `;
  const owner = kind === "user" || !user ? nothing
    : html`, ${fill(texts.forOther, { who: personName(user, names.user_name, me, texts) })}`;
  return html`${kinds}${personName(id, names.name, "")}${owner}`;
}

/**
 * @typedef {object} HeadOptions
 * @property {string} me user id of the person in front of it
 * @property {typeof TEXTS} [texts]
 * @property {number} level of the heading
 * @property {((title: unknown) => unknown) | null} [wrap] makes the title a button where the card can be folded
 * @property {() => void} [timeOver]
 */

/** All that a folded card shows. @param {Confirmation} one @param {HeadOptions} options */
export function head(one, options) {
  const title = html`<span class="sign" aria-hidden="true">${SIGN[one.level] ?? "?"}</span>
    <span>${text(one.description)}</span>`;
  const heading = options.wrap?.(title) ?? html`<span class="title">${title}</span>`;
  return html`<header>
    <div role="heading" aria-level=${options.level} id="title-${one.id}" tabindex="-1" class="heading">${heading}</div>
    <p class="meta">${meta(one, options)}</p></header>`;
}

/** @param {Confirmation} one @param {HeadOptions} options */
function meta(one, { me, wrap, timeOver, texts = TEXTS }) {
  // What can be folded stands below the name of its conversation.
  const session = wrap ? null : one.requester.session;
  return html`<span><code>${plain(one.action)}</code></span> <span>${plain(word(texts, one.level))}</span>
    <span>${requester(one, me, texts)}</span>
    ${session ? html`<span>${fill(texts.conversation, { name: name(session) })}</span>` : nothing}
    ${isOpen(one) ? html`<toolcrib-time-left .until=${one.expires_at} .texts=${texts}
      @time-over=${timeOver}></toolcrib-time-left>`
      : html`<span class="tag ${one.status}">${texts[`status_${one.status}`]
        ?? plain(word(STATUS, one.status))}</span>`}`;
}

/**
 * The warning, the parameters and all arguments.
 * @param {Card} card @param {Confirmation} one
 */
export function details({ texts }, one) {
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
export function outcome({ me, texts, links, replacement }, one) {
  const at = one.status === "expired" ? one.expires_at : one.decided_at;
  const denied = one.status === "denied";
  // An approval that had no effect is in the history alone.
  const isDecisive = denied || ["executed", "failed", "unknown"].includes(one.status);
  const by = { who: personName(one.decided_by, one.decided_by_name, me, texts) };
  const reason = denied ? html`“${name(one.reason)}”` : text(sentence(one.reason ?? ""));
  const result = /** @type {{ detail?: string, data?: unknown } | null} */ (one.result);
  return html`<div class="ended ${one.status}">
    <p><strong>${texts[one.status] ?? plain(word(STATUS, one.status))}</strong>
      ${one.decided_by && isDecisive ? fill(denied ? texts.deniedBy : texts.approvedBy, by) : nothing}
      ${at ? html`<time datetime=${at}>${formatTime(at)}</time>` : nothing}</p>
    ${one.reason ? html`<p class="reason">${reason}</p>` : nothing}
    ${replacement && links.other ? html`<p><a href="${links.other}${replacement}">${texts.replaced}</a></p>` : nothing}
    ${result?.detail ? html`<p>${text(sentence(result.detail))}</p>` : nothing}
    ${result?.data === undefined ? nothing
      : html`<details><summary>${texts.result}</summary>${json(result.data)}</details>`}
  </div>`;
}

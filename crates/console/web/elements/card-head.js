// The head of a card: what was asked, by whom, and for how long it waits. Of a folded card it is all that is seen.
import { html, nothing } from "../vendor/lit.js";
import { isOpen } from "../lib/confirmations.js";
import { REQUESTER, SIGN, STATUS, TEXTS, fill, word } from "../lib/strings.js";
import { name, plain, shortId, text } from "../lib/text.js";
import "./parts.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

/**
 * A person or agent: their name, or the start of their id.
 * @param {string | null} id @param {string | null | undefined} known @param {string} me @param {typeof TEXTS} [texts]
 */
export function who(id, known, me, texts = TEXTS) {
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
    : html`, ${fill(texts.forOther, { who: who(user, names.user_name, me, texts) })}`;
  return html`${kinds}${who(id, names.name, "")}${owner}`;
}

/**
 * @typedef {object} HeadOptions
 * @property {string} me user id of the person in front of it
 * @property {typeof TEXTS} [texts]
 * @property {number} level of the heading
 * @property {boolean | null} unfolded null where it can't be folded
 * @property {() => void} [fold]
 * @property {() => void} [timeOver]
 */

/** @param {Confirmation} one @param {HeadOptions} options */
export function head(one, options) {
  const title = html`<span class="sign" aria-hidden="true">${SIGN[one.level] ?? "?"}</span>
    <span>${text(one.description)}</span>`;
  const heading = options.unfolded === null ? html`<span class="title">${title}</span>`
    : html`<button type="button" class="unfold" aria-expanded=${String(options.unfolded)}
      @click=${options.fold}>${title}</button>`;
  return html`<header>
    <div role="heading" aria-level=${options.level} id="title-${one.id}" tabindex="-1" class="heading">${heading}</div>
    <p class="meta">${meta(one, options)}</p></header>`;
}

/** @param {Confirmation} one @param {HeadOptions} options */
function meta(one, { me, unfolded, timeOver, texts = TEXTS }) {
  // What can be folded stands below the name of its conversation.
  const session = unfolded === null ? one.requester.session : null;
  return html`<span><code>${plain(one.action)}</code></span> <span>${plain(word(texts, one.level))}</span>
    <span>${requester(one, me, texts)}</span>
    ${session ? html`<span>${fill(texts.conversation, { name: name(session) })}</span>` : nothing}
    ${isOpen(one) ? html`<toolcrib-time-left .until=${one.expires_at} .texts=${texts}
      @time-over=${timeOver}></toolcrib-time-left>`
      : html`<span class="tag ${one.status}">${texts[`status_${one.status}`]
        ?? plain(word(STATUS, one.status))}</span>`}`;
}

// What a card has on pages of the console only. The change of its call: an element elsewhere can't read the action.
import { html } from "../vendor/lit.js";

/**
 * The title of a card as a button that folds it, or shows what is folded.
 * @param {boolean} unfolded @param {() => void} fold
 */
export const folding = (unfolded, fold) => (/** @type {unknown} */ title) => html`<button type="button" class="unfold"
  aria-expanded=${String(unfolded)} @click=${fold}>${title}</button>`;

/**
 * The button that opens the form, or the form. It is loaded when somebody opens it.
 * @param {import("./confirmation.js").ConfirmationCard} card
 * @param {import("../lib/confirmations.js").Confirmation} one
 */
export function edit(card, one) {
  if (card.mode === "edit") {
    return html`<toolcrib-edit-call .card=${card} .ready=${card.guard.ready} .busy=${card.busy}></toolcrib-edit-call>`;
  }
  if (isMasked(one.arguments)) {
    return html`<p class="small muted">It can't be changed here: some of its arguments are hidden.</p>`;
  }
  const open = () => import("./edit-call.js").then(() => { [card.mode, card.error] = ["edit", null]; });
  return html`<button type="button" class="quiet" data-testid="edit-button" @click=${open}>Edit…</button>`;
}

/**
 * Whether a part of the arguments is hidden, so that they can't be sent again.
 * @param {unknown} value @returns {boolean}
 */
function isMasked(value) {
  if (typeof value === "string") return value.includes("•••");
  return typeof value === "object" && value !== null && Object.values(value).some(isMasked);
}

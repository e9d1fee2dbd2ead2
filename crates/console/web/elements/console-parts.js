// Parts that only pages of the console have: announcements for screen readers, a button that copies a text, and what
// folds a card and changes its call. An element of another page can't read the action.
import { LitElement, html } from "../vendor/lit.js";

/** Has screen readers read a message. The same message twice is read twice. @param {string | null} message */
export function announce(message) {
  const element = document.getElementById("announcer");
  if (!element || message === null) return;
  element.textContent = "";
  requestAnimationFrame(() => { element.textContent = message; });
}

class CopyText extends LitElement {
  static properties = { value: {}, what: {}, copied: { state: true } };

  constructor() {
    super();
    this.value = "";
    this.what = "text";
    this.copied = false;
  }

  createRenderRoot() {
    return this;
  }

  async copy() {
    // A browser may refuse, as when the window has no focus.
    this.copied = await navigator.clipboard.writeText(this.value).then(() => true, () => false);
    announce(this.copied ? `The ${this.what} is copied.` : `The ${this.what} could not be copied.`);
  }

  render() {
    return html`<button type="button" class="quiet" @click=${this.copy}>
      ${this.copied ? "Copied" : "Copy"}<span class="unseen"> the ${this.what}</span></button>`;
  }
}

customElements.define("copy-text", CopyText);

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

// The decision at the end of a card: its buttons, its fields, and what went wrong.
import { html, nothing } from "../vendor/lit.js";
import { left } from "../lib/time.js";
import { inWords } from "../lib/strings.js";
import { plain, sentence, text } from "../lib/text.js";
import { problem } from "./parts.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 */

/**
 * Ctrl or Cmd with Enter approves, with Shift too it denies. A key that is held down was pressed for something else.
 * @this {Card} @param {KeyboardEvent} event
 */
export function keydown(event) {
  if (event.key !== "Enter") return;
  const shortcut = event.ctrlKey || event.metaKey;
  if (event.repeat || shortcut) event.preventDefault();
  if (event.repeat || !shortcut) return;
  if (event.shiftKey) this.deny();
  else this.approve();
}

/** @param {Card} card @param {Confirmation} one */
export function decision(card, one) {
  const reason = one.can_decide?.reason;
  if (left(one.expires_at) === null) return html`<p class="said">The time is over: nothing ran.</p>`;
  if (!card.decidable) {
    return html`<p class="said">You can't decide this. ${reason ? text(sentence(reason)) : nothing}</p>`;
  }
  return html`<div class="decision">
    ${card.error ? problem(card.error, null, card.service?.base) : nothing}
    ${card.note ? html`<p class="said" role="status">${card.note}</p>` : nothing}
    ${card.mode === "deny" ? denial(card, one) : one.status === "awaiting_phrase" ? typed(card, one) : first(card, one)}
  </div>`;
}

/**
 * A form whose button decides. The browser sends nothing.
 * @param {() => void} decide @param {unknown} content
 */
const form = (decide, content) => html`<form autocomplete="off" @submit=${(/** @type {Event} */ event) => {
  event.preventDefault();
  decide();
}}>${content}</form>`;

/** Starts a denial with its reason. @param {Card} card */
async function startDenial(card) {
  [card.mode, card.error] = ["deny", null];
  await card.updateComplete;
  card.field("reason-input")?.focus();
}

/** @param {Card} card @param {string} label */
function buttons(card, label) {
  const idle = card.busy || !card.guard.ready;
  return html`<div class="buttons">
    <button type="button" class="deny" part="deny" data-testid="deny-button" aria-disabled=${String(card.busy)}
      @click=${() => card.busy || startDenial(card)}>Deny…</button>
    <button type="submit" class="approve" part="approve" data-testid="approve-button"
      aria-disabled=${String(idle)}>${label}</button>
  </div>`;
}

/** The only step, or the first of two. @param {Card} card @param {Confirmation} one */
function first(card, one) {
  const two = one.level === "typed";
  return form(() => card.approve(), html`
    ${one.allow_session_grant && one.requester.session ? remember(card, one) : nothing}
    ${buttons(card, two ? "Continue" : "Approve")}
    ${two ? html`<p class="small muted">Step 1 of 2: the next one asks for the name of the action.</p>` : nothing}`);
}

/** @param {Card} card @param {Confirmation} one */
function remember(card, one) {
  const { grants, target } = card.links;
  return html`<label class="remember"><input type="checkbox" data-testid="always-allow-checkbox">
      <span>Do not ask again for <em>${inWords(one.action)}</em> in this conversation</span></label>
    <p class="small muted">For at most eight hours, and only for whoever asked this.
      ${grants ? html`<a href=${grants} target=${target ?? nothing}>Revoke it here</a>` : nothing}</p>`;
}

/** The second step. @param {Card} card @param {Confirmation} one */
function typed(card, one) {
  const id = `phrase-${one.id}`;
  return form(() => card.approve(), html`
    <label for=${id}>Type <code>${plain(card.phrase || one.action)}</code> to go on</label>
    <input id=${id} data-testid="confirm-input" autocomplete="off" autocapitalize="off" spellcheck="false"
      maxlength="200" aria-describedby="rule-${id}">
    <p class="small muted" id="rule-${id}">Step 2 of 2. It must be exactly this name: five wrong ones make this
      void.</p>
    ${buttons(card, "Approve for good")}`);
}

/** @param {Card} card @param {Confirmation} one */
function denial(card, one) {
  const id = `reason-${one.id}`;
  const back = () => { [card.mode, card.error] = ["", null]; };
  return form(() => card.deny(), html`
    <label for=${id}>Why not</label>
    <input id=${id} data-testid="reason-input" maxlength="500" autocomplete="off" aria-describedby="told-${id}">
    <p class="small muted" id="told-${id}">Whoever asked is told, and may be a model. It may stay empty.</p>
    <div class="buttons"><button type="button" @click=${back}>Back</button>
      <button type="submit" class="deny" part="deny" data-testid="deny-button"
        aria-disabled=${String(card.busy)}>Deny</button></div>`);
}

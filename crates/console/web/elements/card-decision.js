// The decision at the end of a card: its buttons, its fields, and its error.
import { html, nothing } from "../vendor/lit.js";
import { timeLeft } from "../lib/time.js";
import { fill, actionWords, plain, sentence, text } from "../lib/text.js";
import { approve, deny, phraseOf } from "./card-actions.js";
import { problem } from "./parts.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 */

/** @param {Card} card @param {Confirmation} one */
export function decision(card, one) {
  if (timeLeft(one.expires_at) === null) return html`<p class="said">${card.texts.timeOver}</p>`;
  if (!card.decidable) return undecidable(card, one);
  const editing = card.mode === "edit" && card.edit;
  const step = editing || (card.mode === "deny" ? denial : one.status === "awaiting_phrase" ? phraseStep : firstStep);
  return html`<div class="decision">
    ${card.error ? problem(card.error, null, card.service?.base) : nothing}
    ${card.note ? html`<p class="said" role="status">${card.note}</p>` : nothing}
    ${step(card, one)}</div>`;
}

/** @param {Card} card @param {Confirmation} one */
function undecidable({ texts, links }, one) {
  const { reason, needs_sign_in: signIn } = one.can_decide ?? {};
  return html`<p class="said">${signIn ? nothing : texts.cannot} ${reason ? text(sentence(reason)) : nothing}
    ${links.elsewhere ? html`<a class="button" href=${links.elsewhere} target=${links.target ?? nothing}
      >${texts.elsewhere}</a>` : nothing}</p>`;
}

/**
 * A form whose button decides. The browser sends nothing.
 * @param {() => void} decide @param {unknown} content
 */
function form(decide, content) {
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    decide();
  };
  return html`<form autocomplete="off" @submit=${submit}>${content}</form>`;
}

/** Starts a denial with its reason. @param {Card} card */
async function startDenial(card) {
  [card.mode, card.error] = ["deny", null];
  await card.updateComplete;
  card.field("reason-input")?.focus();
}

/** @param {Card} card @param {string} label @param {boolean} [complete] whether what must be typed is there */
function buttons(card, label, complete = true) {
  const idle = card.busy || !card.guard.ready || !complete;
  return html`<div class="buttons">
    <button type="button" class="deny" part="deny" data-testid="deny-button" aria-disabled=${String(card.busy)}
      @click=${() => card.busy || startDenial(card)}>${card.texts.startDenial}</button>
    <button type="submit" class="approve" part="approve" data-testid="approve-button"
      aria-disabled=${String(idle)}>${label}</button>
  </div>`;
}

/** The only step, or the first of two. @param {Card} card @param {Confirmation} one */
function firstStep(card, one) {
  const two = one.level === "typed";
  const phrase = html`<code>${plain(phraseOf(one))}</code>`;
  return form(() => approve(card), html`
    <div>${card.edit?.(card, one) ?? nothing}</div>
    ${one.allow_session_grant && one.requester.session ? remember(card, one) : nothing}
    ${buttons(card, two ? card.texts.continue : card.texts.approve)}
    ${two ? html`<p class="small muted">${fill(card.texts.stepOne, { phrase })}</p>` : nothing}`);
}

/** @param {Card} card @param {Confirmation} one */
function remember({ texts, links: { grants, target } }, one) {
  const action = html`<em>${actionWords(one.action)}</em>`;
  return html`<label class="remember"><input type="checkbox" data-testid="always-allow-checkbox">
      <span>${fill(texts.remember, { action })}</span></label>
    <p class="small muted">${texts.rememberNote}
      ${grants ? html`<a href=${grants} target=${target ?? nothing}>${texts.revoke}</a>` : nothing}</p>`;
}

/** The second step. @param {Card} card @param {Confirmation} one */
function phraseStep(card, one) {
  const id = `phrase-${one.id}`;
  const phrase = html`<code>${plain(phraseOf(one))}</code>`;
  return form(() => approve(card), html`
    <label for=${id}>${fill(card.texts.type, { phrase })}</label>
    <input id=${id} data-testid="confirm-input" autocomplete="off" autocapitalize="off" spellcheck="false"
      maxlength="200" aria-describedby="rule-${id}" @input=${() => card.requestUpdate()}>
    <p class="small muted" id="rule-${id}">${card.texts.stepTwo}</p>
    ${buttons(card, card.texts.approveForGood, card.field("confirm-input")?.value === phraseOf(one))}`);
}

/** @param {Card} card @param {Confirmation} one */
function denial(card, one) {
  const id = `reason-${one.id}`;
  const back = () => { [card.mode, card.error] = ["", null]; };
  return form(() => deny(card), html`
    <label for=${id}>${card.texts.whyNot}</label>
    <input id=${id} data-testid="reason-input" maxlength="500" autocomplete="off" aria-describedby="note-${id}">
    <p class="small muted" id="note-${id}">${card.texts.whyNotNote}</p>
    <div class="buttons"><button type="button" @click=${back}>${card.texts.back}</button>
      <button type="submit" class="deny" part="deny" data-testid="deny-button"
        aria-disabled=${String(card.busy)}>${card.texts.deny}</button></div>`);
}

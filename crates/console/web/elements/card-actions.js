// What the buttons and keys of a card do.
import * as confirmations from "../lib/confirmations.js";
import { decide, isLost } from "../lib/decision.js";

/**
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 * @typedef {import("../lib/decision.js").Attempt} Attempt
 */

/**
 * Approves, or takes the next step to it. Does nothing where a press may be meant for something else.
 * @param {Card} card
 */
export async function approve(card) {
  const { one, service } = card;
  if (!one || !service || card.busy || card.mode || !card.decidable) return;
  if (!card.guard.ready) return card.guard.element?.scrollIntoView({ block: "nearest" });
  /** @type {Parameters<typeof confirmations.approve>[2]} */
  const body = {};
  const field = card.field("confirm-input");
  if (field && !field.value) return field.focus();
  // As it was typed: a space too many is a wrong phrase.
  if (field) body.phrase = field.value;
  if (card.field("always-allow-checkbox")?.checked) body.remember = "session";
  const { answer } = await attempt(card, () => confirmations.approve(service, one.id, body));
  card.phrase = answer?.phrase ?? card.phrase;
  await card.updateComplete;
  card.field("confirm-input")?.focus();
}

/** @param {Card} card */
export async function deny(card) {
  const { one, service } = card;
  if (!one || !service || card.busy || !card.decidable) return;
  const reason = card.field("reason-input")?.value.trim() ?? "";
  const { error } = await attempt(card, () => confirmations.deny(service, one.id, reason));
  if (!error) card.mode = "";
}

/**
 * Sends something, and shows what the service then says of the confirmation.
 * @param {Card} card @param {() => Promise<any>} work
 * @returns {Promise<Attempt>}
 */
export async function attempt(card, work) {
  const { one, service } = card;
  if (!one || !service) return { one, error: null, answer: null };
  [card.busy, card.error, card.note] = [true, null, ""];
  const lost = () => { card.note = card.texts.lost; };
  const attempted = await decide(service, one.id, work, { lost, given: () => !card.isConnected });
  const [error, now] = [attempted.error, attempted.one ?? one];
  const still = confirmations.isOpen(now) && error !== null;
  card.busy = false;
  card.note = still && isLost(error) ? card.texts.stillWaits : "";
  // Where it is decided, that is the news.
  card.error = still && !isLost(error) ? error : null;
  card.one = now;
  card.dispatchEvent(new CustomEvent("confirmation", { detail: now, bubbles: true }));
  return attempted;
}

/**
 * Ctrl or Cmd with Enter approves, with Shift too it denies. A key that is held down was pressed for something else.
 * @param {Card} card @param {KeyboardEvent} event
 */
export function keydown(card, event) {
  if (event.key !== "Enter") return;
  const shortcut = event.ctrlKey || event.metaKey;
  if (event.repeat || shortcut) event.preventDefault();
  if (event.repeat || !shortcut) return;
  if (event.shiftKey) deny(card);
  else approve(card);
}

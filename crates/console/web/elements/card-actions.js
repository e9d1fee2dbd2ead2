// What the buttons and keys of a card do.
import { asApiError } from "../lib/api.js";
import * as confirmations from "../lib/confirmations.js";
import { backoff } from "../lib/time.js";

/**
 * @typedef {import("./confirmation.js").ConfirmationCard} Card
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("../lib/api.js").ApiError} ApiError
 * @typedef {import("../lib/api.js").Service} Service
 * @typedef {{ status?: string, confirmation?: { id: string } }} Answer of an approval: its step
 * @typedef {object} Attempt
 * @property {Answer | null} answer
 * @property {ApiError | null} error
 */

/**
 * Approves, or takes the next step to it. Does nothing where a press may be meant for something else.
 * @param {Card} card
 */
export async function approve(card) {
  if (card.busy || card.mode || !card.decidable) return;
  if (!card.guard.ready) return card.guard.element?.scrollIntoView({ block: "nearest" });
  /** @type {Parameters<typeof confirmations.approve>[2]} */
  const body = {};
  const field = card.field("confirm-input");
  const phrase = phraseOf(card.confirmation);
  // What differs, if by a space, is not sent: the service counts it as a wrong phrase.
  if (field && field.value !== phrase) return field.focus();
  if (field) body.phrase = phrase;
  if (card.field("always-allow-checkbox")?.checked) body.remember = "session";
  await attempt(card, (service, id) => confirmations.approve(service, id, body));
  await card.updateComplete;
  card.field("confirm-input")?.focus();
}

/** What a person types. @param {Confirmation | null} one */
export const phraseOf = (one) => one?.phrase ?? one?.action ?? "";

/** @param {Card} card */
export async function deny(card) {
  if (card.busy || !card.decidable) return;
  const reason = card.field("reason-input")?.value.trim() ?? "";
  const { error } = await attempt(card, (service, id) => confirmations.deny(service, id, reason));
  if (!error) card.mode = "";
}

/**
 * Sends something, and shows what the service then answers about the confirmation: the first answer may be lost, or
 * somebody was quicker.
 * @param {Card} card @param {(service: Service, id: string) => Promise<any>} work
 * @returns {Promise<Attempt>}
 */
export async function attempt(card, work) {
  const { confirmation: one, service } = card;
  if (!one || !service) return { answer: null, error: null };
  [card.busy, card.error, card.note] = [true, null, ""];
  const result = await work(service, one.id)
    .then((answer) => ({ answer, error: null }), (caught) => ({ answer: null, error: asApiError(caught) }));
  const lost = result.error !== null && isLost(result.error);
  if (lost) card.note = card.texts.lost;
  const current = await poll(card, service, one.id) ?? one;
  const isOpen = confirmations.isOpen(current);
  card.busy = false;
  card.note = isOpen && lost ? card.texts.stillWaits : "";
  // Where it is decided, that is the news.
  card.error = isOpen && !lost ? result.error : null;
  card.confirmation = current;
  card.dispatchEvent(new CustomEvent("confirmation", { detail: current, bubbles: true }));
  return result;
}

/**
 * Whether the request may have had an effect: no answer, or that of a service or proxy in trouble.
 * @param {ApiError} error
 */
const isLost = (error) => error.status === 0 || error.status >= 500;

/**
 * Reads a confirmation, until the service answers or the card is gone.
 * @param {Card} card @param {Service} service @param {string} id
 * @returns {Promise<Confirmation | null>} null if it can't be seen any more
 */
async function poll(card, service, id) {
  for (let failures = 0; ; failures += 1) {
    try {
      return await confirmations.get(service, id);
    } catch (caught) {
      const error = asApiError(caught);
      if (!isLost(error) && error.status !== 429) return null;
    }
    await new Promise((done) => setTimeout(done, backoff(failures)));
    if (!card.isConnected) return null;
  }
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

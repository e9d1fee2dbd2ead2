// Shows text that others wrote (always as text, and with no character that a person can't see), and has our own words.
import { html } from "../vendor/lit.js";

// Controls, formats (direction marks among them), separators of lines and paragraphs, fillers and variation selectors.
const HIDDEN = new RegExp(
  "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0" +
    "\\ufe00-\\ufe0e\\u{e0100}-\\u{e01ef}]",
  "gu",
);

/**
 * The text with every hidden character as its code point, for names, attributes and the title.
 * @param {unknown} value
 */
export function plain(value) {
  return String(value ?? "").replace(HIDDEN, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);
}

// A pair of backticks around a name: a backtick inside of the name touches letters on both sides.
const CODE = /(?<=^|[\s(])`(.+?)`(?=$|[\s.,;:)!?])/g;

/**
 * A sentence of the API for a template: what stands between backticks is code. Code is isolated, so that a name
 * from right to left does not move the words around it.
 * @param {unknown} value
 */
export function text(value) {
  // `split` puts what the group found between the other parts.
  return plain(value).split(CODE).map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part));
}

/**
 * A name for a template, isolated from the direction of the text around it.
 * @param {unknown} value
 */
export function name(value) {
  return html`<bdi>${plain(value)}</bdi>`;
}

/**
 * The start of an id, enough to tell two apart in one list. The whole id is its title.
 * @param {string} id
 */
export function shortId(id) {
  return html`<code title=${plain(id)}>${plain(id).slice(0, 8)}…${plain(id).slice(-4)}</code>`;
}

/** Messages of the API are lower case without a full stop. @param {string} message */
export function sentence(message) {
  const first = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

/**
 * Words for the values of the API. A value that is not here is shown as it is.
 * @type {Record<string, string>}
 */
export const STATUS = {
  pending: "waits", awaiting_phrase: "step 2 of 2", running: "running", executed: "executed", failed: "failed",
  unknown: "outcome unknown", denied: "denied", expired: "expired", superseded: "superseded", void: "void",
};

/** Sign of a confirmation's level. @type {Record<string, string>} */
export const SIGN = { simple: "◆", typed: "▲" };

/** @type {Record<string, string>} */
export const REQUESTER = { user: "Person", agent: "Agent", service: "Service key" };

/**
 * The word for a value.
 * @template T
 * @param {Record<string, T>} words
 * @param {string | null | undefined} value
 */
export const word = (words, value) => (value && Object.hasOwn(words, value) ? words[value] : value ?? "");

/** A sentence for screen readers, without the backticks around names. @param {string} sentence */
export const speech = (sentence) => plain(sentence).replaceAll("`", "");

/** `create task` for `platform_create_task`. @param {string} action */
export const actionWords = (action) => plain(action).replace(/^platform_/, "").replaceAll("_", " ");

/**
 * What a card says, by its key. An element elsewhere may replace each; `{name}` stands for a part.
 * @type {Record<string, string>}
 */
export const TEXTS = {
  simple: "one step", typed: "typed, two steps",
  youAsked: "You asked", forOther: "for {who}", you: "you", conversation: "conversation {name}", left: "{time} left",
  over: "time is over",
  arguments: "All arguments", argumentsAsRun: "All arguments, as they will run", more: "{count} more than above",
  repaired: "The model's call had mistakes of form, which were repaired: {places}", wholeText: "the whole text",
  repairedHere: "read differently from what the model wrote",
  approve: "Approve", continue: "Continue", approveForGood: "Approve for good", startDenial: "Deny…", deny: "Deny",
  back: "Back", stepOne: "Step 1 of 2: the next one asks you to type {phrase}.", type: "Type {phrase} to go on",
  stepTwo: "Step 2 of 2. It must be exactly this, letter by letter.",
  whyNot: "Why not", whyNotNote: "Whoever asked is told, and may be a model. It may stay empty.",
  remember: "Do not ask again for {action} in this conversation",
  rememberNote: "For at most eight hours, and only for whoever asked this.", revoke: "Revoke it here",
  replaced: "The changed call waits for another person",
  cannot: "You can't decide this.", timeOver: "The time is over: nothing ran.",
  elsewhere: "Decide it in Toolcrib",
  lost: "No answer came. The result is not known: the service is asked again …",
  stillWaits: "It still waits: the decision did not arrive, or was not taken.",
  approvedBy: "Approved by {who}", deniedBy: "Denied by {who}", result: "Result", history: "Its history",
  signedOut: "Sign in to see what waits for you.", new: "New: {what}",
  executed: "It ran.", failed: "It ran, and failed.", unknown: "It was started, and nobody knows how it ended.",
  denied: "It was denied: nothing ran.", expired: "Nobody decided in time: nothing ran.",
  superseded: "Another call took its place: nothing ran.", void: "It no longer applies: nothing ran.",
};

/**
 * A text with its parts, for a template.
 * @param {string} text @param {Record<string, unknown>} parts
 */
export const fill = (text, parts) => text.split(/\{(\w+)\}/).map((piece, n) => (n % 2 ? parts[piece] : piece));

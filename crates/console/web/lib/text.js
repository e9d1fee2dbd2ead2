// Shows text that others wrote: always as text, and with no character that a person can't see.
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

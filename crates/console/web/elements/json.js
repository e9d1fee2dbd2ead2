// Shows a value as indented JSON: every line as text, and those that were marked with what is said of them.
import { html } from "../vendor/lit.js";
import { plain } from "../lib/text.js";

/** A JSON pointer of RFC 6901, one step longer. @param {string} pointer @param {string | number} step */
export const within = (pointer, step) => `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/**
 * The lines of a value, each with the pointer of what begins there.
 * @param {unknown} value @param {string} [pointer] @param {string} [lead] what stands before it @param {number} [depth]
 * @returns {Generator<{ pointer: string, text: string, depth: number }>}
 */
function* lines(value, pointer = "", lead = "", depth = 0) {
  const list = Array.isArray(value);
  const entries = list ? value.map((one, n) => /** @type {const} */ ([n, one])) : Object.entries(value ?? {});
  if (typeof value !== "object" || !entries.length) {
    yield { pointer, text: lead + JSON.stringify(value), depth };
    return;
  }
  yield { pointer, text: lead + (list ? "[" : "{"), depth };
  for (const [n, [key, inner]] of entries.entries()) {
    const parts = [...lines(inner, within(pointer, key), list ? "" : `${JSON.stringify(key)}: `, depth + 1)];
    const last = parts.at(-1);
    if (last && n < entries.length - 1) last.text += ",";
    yield* parts;
  }
  yield { pointer: "", text: list ? "]" : "}", depth };
}

/**
 * @param {unknown} value
 * @param {{ marks?: string[], note?: string }} [options] pointers of what is marked, and what is said
 *   beside it
 */
export function json(value, { marks = [], note = "" } = {}) {
  const shown = [...lines(value)].map(({ pointer, text, depth }, n) => {
    const marked = marks.includes(pointer) && (pointer !== "" || n === 0);
    const line = "  ".repeat(depth) + plain(text);
    return marked ? html`<mark>${line}</mark> <i class="beside">${note}</i>${"\n"}` : `${line}\n`;
  });
  return html`<pre class="json"><code>${shown}</code></pre>`;
}

/**
 * Whether a part of the arguments is hidden, so that they can't be sent again.
 * @param {unknown} value @returns {boolean}
 */
export function isMasked(value) {
  if (typeof value === "string") return value.includes("•••");
  return typeof value === "object" && value !== null && Object.values(value).some(isMasked);
}

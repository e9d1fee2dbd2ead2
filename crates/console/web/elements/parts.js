// Parts of a card: an error of the API, a value as JSON, and the time that is left.
import { LitElement, html } from "../vendor/lit.js";
import { isExactNumber } from "../lib/api.js";
import { TEXTS, fill, plain, sentence, text } from "../lib/text.js";
import { timeLeft } from "../lib/time.js";

/** @typedef {import("../lib/api.js").ApiError} ApiError */

/** A hint that names a request or a header is for who writes a program. */
const FOR_PROGRAMS = /`(GET|POST|PUT|PATCH|DELETE) \/|`X-[A-Z]/;

/**
 * An error of the API: what happened, what to do, the page about its code, and the id to look it up by.
 * @param {ApiError} error
 * @param {(() => void) | null} [again] what the person may try again
 * @param {string} [base] of the service, where it is another origin
 */
export function problem({ status, message, problem, errors }, again = null, base = "") {
  const { code, request_id: request } = problem;
  const hint = FOR_PROGRAMS.test(problem.hint ?? "") ? "" : problem.hint;
  // No answer, a service in trouble, a limit, or what the page reads anew: the next time may go otherwise.
  const mayHelp = status === 0 || status === 412 || status >= 500 || problem.retryable;
  const known = code && /^[a-z_]+$/.test(code);
  return html`<div class="notice wrong" role="alert">
    <p><strong>${text(sentence(message))}</strong></p>
    ${hint ? html`<p>${text(sentence(hint))}</p>` : ""}
    ${errors.length > 1 ? html`<ul class="plain">${errors.map((one) => html`<li>
      <code>${plain(one.pointer || "/")}</code> ${text(one.message)}</li>`)}</ul>` : ""}
    <p class="small muted">
      ${known ? html`<a href="${base}/docs/errors/${code}"><code>${code}</code></a>` : "no answer"}
      ${request ? html`<span>request <code>${plain(request)}</code></span>` : ""}
    </p>
    ${again && mayHelp ? html`<p><button type="button" @click=${again}>Try again</button></p>` : ""}
  </div>`;
}

/** What stands in place of what needs a permission. @param {string} permission @param {string} who has it */
export const needs = (permission, who) => html`<div class="empty"><p><strong>You may not see this.</strong></p>
  <p>It needs the permission <code>${permission}</code> in this workspace. Who has it: ${who}.</p></div>`;

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
  if (typeof value !== "object" || isExactNumber(value) || !entries.length) {
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
 * A value as indented JSON: every line as text, and marked lines with a note.
 * @param {unknown} value
 * @param {{ marks?: string[], note?: string }} [options] `marks`: pointers of what is marked
 */
export function json(value, { marks = [], note = "" } = {}) {
  const shown = [...lines(value)].map(({ pointer, text, depth }, n) => {
    const marked = marks.includes(pointer) && (pointer !== "" || n === 0);
    const line = "  ".repeat(depth) + plain(text);
    return marked ? html`<mark>${line}</mark> <i class="beside">${note}</i>${"\n"}` : `${line}\n`;
  });
  return html`<pre class="json"><code>${shown}</code></pre>`;
}

/** Elements that one timer updates. @type {Set<TimeLeft>} */
const ticking = new Set();
setInterval(() => { for (const one of ticking) one.requestUpdate(); }, 1000);

/** Sends `time-over` when the time is over. */
class TimeLeft extends LitElement {
  static properties = { until: {}, texts: {} };

  constructor() {
    super();
    this.until = "";
    this.texts = TEXTS;
    this.over = false;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    ticking.add(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    ticking.delete(this);
  }

  updated() {
    const over = timeLeft(this.until) === null;
    if (over && !this.over) this.dispatchEvent(new Event("time-over"));
    this.over = over;
  }

  render() {
    const time = timeLeft(this.until);
    return time ? html`<time datetime=${this.until}>${fill(this.texts.left, { time })}</time>`
      : html`<span>${this.texts.over}</span>`;
  }
}

// A page of others may have loaded this module in another version.
if (!customElements.get("toolcrib-time-left")) customElements.define("toolcrib-time-left", TimeLeft);

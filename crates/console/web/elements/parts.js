// Parts of pages: what stands in place of data (an error, a refusal), announcements, and two small elements.
import { LitElement, html } from "../vendor/lit.js";
import { TEXTS, fill } from "../lib/strings.js";
import { plain, sentence, text } from "../lib/text.js";
import { left } from "../lib/time.js";

/** @typedef {import("../lib/api.js").ApiError} ApiError */

/**
 * An error of the API: what happened, what to do, the page about its code, and the id to look it up by.
 * @param {ApiError} error
 * @param {(() => void) | null} [again] what the person may try again
 * @param {string} [base] of the service, where it is another origin
 */
export function problem(error, again = null, base = "") {
  const known = error.code && /^[a-z_]+$/.test(error.code);
  return html`<div class="notice wrong" role="alert">
    <p><strong>${text(sentence(error.message))}</strong></p>
    ${error.hint ? html`<p>${text(sentence(error.hint))}</p>` : ""}
    ${error.errors.length > 1 ? html`<ul class="plain">${error.errors.map((one) => html`<li>
      <code>${plain(one.pointer || "/")}</code> ${text(one.message)}</li>`)}</ul>` : ""}
    <p class="small muted">
      ${known ? html`<a href="${base}/docs/errors/${error.code}"><code>${error.code}</code></a>` : "no answer"}
      ${error.requestId ? html`<span>request <code>${plain(error.requestId)}</code></span>` : ""}
    </p>
    ${again ? html`<p><button type="button" @click=${again}>Try again</button></p>` : ""}
  </div>`;
}

/** Says something to people who hear the page. The same text twice is said twice. @param {string | null} message */
export function announce(message) {
  const place = document.getElementById("announcer");
  if (!place || message === null) return;
  place.textContent = "";
  requestAnimationFrame(() => { place.textContent = message; });
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

/** All of a page tick together. @type {Set<TimeLeft>} */
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
    const over = left(this.until) === null;
    if (over && !this.over) this.dispatchEvent(new Event("time-over"));
    this.over = over;
  }

  render() {
    const time = left(this.until);
    return time ? html`<time datetime=${this.until}>${fill(this.texts.left, { time })}</time>`
      : html`<span>${this.texts.over}</span>`;
  }
}

// A page of others may have loaded this module in another version.
for (const [name, element] of Object.entries({ "copy-text": CopyText, "toolcrib-time-left": TimeLeft })) {
  if (!customElements.get(name)) customElements.define(name, element);
}

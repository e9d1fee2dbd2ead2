// Two small elements: a button that copies a text, and the time left until an instant.
import { LitElement, html } from "../vendor/lit.js";
import { left } from "../lib/time.js";

/** Says something to people who hear the page. The same text twice is said twice. @param {string} message */
export function announce(message) {
  const place = document.getElementById("announcer");
  if (!place) return;
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

/** All elements of a page tick together. @type {Set<TimeLeft>} */
const ticking = new Set();
setInterval(() => { for (const one of ticking) one.requestUpdate(); }, 1000);

class TimeLeft extends LitElement {
  static properties = { until: {} };

  constructor() {
    super();
    this.until = "";
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

  render() {
    const time = left(this.until);
    return time ? html`<time datetime=${this.until}>${time} left</time>` : html`<span>time is over</span>`;
  }
}

customElements.define("copy-text", CopyText);
customElements.define("time-left", TimeLeft);

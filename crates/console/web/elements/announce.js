// What is said to people who hear the page, and a button that copies a text and says so.
import { LitElement, html } from "../vendor/lit.js";

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

customElements.define("copy-text", CopyText);

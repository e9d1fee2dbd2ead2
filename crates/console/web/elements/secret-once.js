// A secret that the service shows once. It leaves the page when the person stored it.
import { LitElement, html } from "../vendor/lit.js";
import { snippet } from "./blocks.js";

/** Heading, note, what screen readers call it, and the button, by kind. @type {Record<string, string[]>} */
const WORDS = {
  secret: ["The secret, shown once", "Store it where the program reads it.", "secret", "I stored it"],
  link: ["The link, shown once", "Send it to the person whom you invite, and to nobody else.", "link", "I sent it"],
};

class SecretOnce extends LitElement {
  static properties = { value: {}, kind: {} };

  constructor() {
    super();
    this.value = "";
    /** `secret` of a key, or `link` of an invitation. */
    this.kind = "secret";
  }

  createRenderRoot() {
    return this;
  }

  firstUpdated() {
    this.querySelector("h2")?.focus();
  }

  stored() {
    this.value = "";
    this.dispatchEvent(new CustomEvent("stored", { bubbles: true }));
  }

  render() {
    const [heading, note, what, done] = WORDS[this.kind];
    return html`<section class="card secret"><h2 tabindex="-1">${heading}</h2>
      <p>${note} Neither this page nor the service can show it again.</p>
      ${snippet(this.value, what)}
      <div class="actions"><button type="button" class="primary" @click=${this.stored}>${done}</button></div>
    </section>`;
  }
}

customElements.define("secret-once", SecretOnce);

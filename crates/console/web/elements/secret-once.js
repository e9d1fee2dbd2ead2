// A secret that the service shows once. It leaves the page when the person stored it.
import { LitElement, html } from "../vendor/lit.js";
import { snippet } from "./blocks.js";

class SecretOnce extends LitElement {
  static properties = { value: {} };

  constructor() {
    super();
    this.value = "";
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
    return html`<section class="card secret"><h2 tabindex="-1">The secret, shown once</h2>
      <p>Store it where the program reads it. Neither this page nor the service can show it again.</p>
      ${snippet(this.value, "secret")}
      <div class="actions"><button type="button" class="primary" @click=${this.stored}>I stored it</button></div>
    </section>`;
  }
}

customElements.define("secret-once", SecretOnce);

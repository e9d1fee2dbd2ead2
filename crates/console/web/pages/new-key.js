// A form that makes a key. The secret is shown once.
import { html } from "../vendor/lit.js";
import { Page } from "../elements/page.js";
import { announce, problem } from "../elements/parts.js";
import { pageAddress } from "../routes.js";
import "../elements/secret-once.js";
import { PRESETS, bodyOf, fields, presets } from "./new-key-parts.js";

/** What the page needs is in the caller's rights. @extends {Page<true>} */
class NewKeyPage extends Page {
  constructor() {
    super();
    /** The secret of the key that was made, until the person stored it. @type {string | null} */
    this.secret = null;
  }

  /** @returns {Promise<true>} */
  async read() {
    return true;
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  async make(event) {
    event.preventDefault();
    const body = bodyOf(new FormData(event.currentTarget));
    const done = await this.act(async () => {
      this.secret = (await this.call("POST", "/v1/keys", { body })).secret;
    });
    if (done) announce("The key is made. Its secret is shown once.");
  }

  stored() {
    this.secret = null;
    this.app?.go(pageAddress(this.workspace, "keys"), true);
  }

  render() {
    const preset = PRESETS[this.query.get("preset") ?? ""] ?? PRESETS[""];
    const me = this.app?.state.me;
    return html`<p class="small"><a href=${pageAddress(this.workspace, "keys")}>Keys</a></p>
      <h1 tabindex="-1">Make a key</h1>
      ${this.secret ? html`<secret-once .value=${this.secret} @stored=${this.stored}></secret-once>` : html`
        <p class="lead muted">A key has its own scopes, and never more rights than you have.</p>
        ${presets(this.query.get("preset") ?? "", me?.role ?? "")}
        ${this.failure ? problem(this.failure) : ""}
        <form class="card broad-card" @submit=${this.make} autocomplete="off">
          ${fields(preset, me?.permissions ?? [], me?.role ?? "")}
          <div class="actions"><button type="submit" class="primary" ?disabled=${this.busy}>Make the key</button></div>
        </form>`}`;
  }
}

customElements.define("new-key-page", NewKeyPage);

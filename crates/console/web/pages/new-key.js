// A form that makes a key. The secret is shown once.
import { html } from "../vendor/lit.js";
import { Page } from "../elements/page.js";
import { pageAddress } from "../routes.js";
import "../elements/secret-once.js";
import { PRESETS, bodyOf, fields, presets } from "./new-key-parts.js";

/** @typedef {import("../lib/members.js").Scope} Scope */

/** @extends {Page<Scope[]>} */
class NewKeyPage extends Page {
  constructor() {
    super();
    /** The secret of the key that was made, until the person stored it. @type {string | null} */
    this.secret = null;
  }

  /** The scopes, with which of them the caller may give. They are the same for each preset. */
  async read() {
    return (await this.call("GET", "/v1/access/scopes")).items;
  }

  dataKey() {
    return "";
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  async make(event) {
    event.preventDefault();
    const body = bodyOf(new FormData(event.currentTarget));
    await this.act(async () => {
      this.secret = (await this.call("POST", "/v1/keys", { body })).secret;
    }, "", "The key is made. Its secret is shown once.");
  }

  stored() {
    this.secret = null;
    this.app?.go(pageAddress(this.workspace, "keys"), true);
  }

  render() {
    return html`<p class="small"><a href=${pageAddress(this.workspace, "keys")}>Keys</a></p>
      <h1 tabindex="-1">Make a key</h1>
      ${this.secret ? html`<secret-once .value=${this.secret} @stored=${this.stored}></secret-once>` : html`
        <p class="lead muted">A key has its own scopes, and never more rights than you have.</p>
        ${this.renderData((scopes) => this.form(scopes))}`}`;
  }

  /** @param {Scope[]} scopes */
  form(scopes) {
    const chosen = this.query.get("preset") ?? "";
    return html`${presets(chosen, scopes)}
      <form class="card broad-card" @submit=${this.make} autocomplete="off">
        ${fields(PRESETS[chosen] ?? PRESETS[""], scopes, this.app?.state.me?.permissions ?? [])}
        <div class="actions"><button type="submit" class="primary" ?disabled=${this.busy}>Make the key</button></div>
        ${this.feedback()}
      </form>`;
  }
}

customElements.define("new-key-page", NewKeyPage);

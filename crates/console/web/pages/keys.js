// The keys of the workspace: what each may do now, who made it, and how it ends.
import { html } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { Page } from "../elements/page.js";
import { noRows } from "../elements/audit-rows.js";
import { pageAddress } from "../routes.js";
import "../elements/secret-once.js";
import { keyRow } from "./keys-parts.js";

/**
 * @typedef {import("../lib/members.js").KeyPage} KeyPage
 * @typedef {import("../lib/members.js").Scope} Scope
 */

/** @extends {Page<{ keys: KeyPage, scopes: Scope[] }>} */
class KeysPage extends Page {
  constructor() {
    super();
    /** Id of the key that is about to be revoked: the second press does it. */
    this.revoking = "";
    /** A secret that an adoption made, until the person stored it. @type {string | null} */
    this.secret = null;
  }

  async read() {
    const cursor = this.query.get("cursor");
    const query = new URLSearchParams({ limit: "100", ...(cursor ? { cursor } : {}) });
    const paths = [`/v1/keys?${query}`, "/v1/access/scopes"];
    const [keys, { items: scopes }] = await Promise.all(paths.map((path) => this.call("GET", path)));
    return { keys, scopes };
  }

  /** @param {string} id */
  async revoke(id) {
    if (this.revoking !== id) {
      this.revoking = id;
      return this.requestUpdate();
    }
    this.revoking = "";
    const path = `/v1/keys/${encodeURIComponent(id)}`;
    if (await this.act(() => this.call("DELETE", path), id, "The key is revoked.")) await this.load();
  }

  /** @param {string} id @param {boolean} newSecret */
  async adopt(id, newSecret) {
    const path = `/v1/keys/${encodeURIComponent(id)}/adopt`;
    const done = await this.act(async () => {
      this.secret = (await this.call("POST", path, { body: newSecret ? { new_secret: true } : {} })).secret;
    }, id, "The key is adopted.");
    if (done) await this.load();
  }

  render() {
    return html`<div class="head"><h1 tabindex="-1">Keys</h1>
        <a class="button primary" href=${pageAddress(this.workspace, "keys", "new")}>Make a key</a></div>
      <p class="lead muted">Keys are for programs. What a key may do is limited by its scopes, its role, and by the
        people who made it.</p>
      ${this.secret ? html`<secret-once .value=${this.secret} @stored=${() => this.forget()}></secret-once>` : ""}
      ${this.renderData(({ keys, scopes }) => this.list(keys, scopes))}`;
  }

  forget() {
    this.secret = null;
    this.requestUpdate();
  }

  /** @param {KeyPage} page @param {Scope[]} scopes */
  list({ items, next_cursor: next }, scopes) {
    if (!items.length) {
      return noRows("The workspace has no key.", "An agent, a chatbot's backend or another program gets one each.");
    }
    const context = {
      revoking: this.revoking, busy: this.busy, scopes, feedback: (/** @type {string} */ id) => this.feedback(id),
      revoke: (/** @type {string} */ id) => this.revoke(id),
      adopt: (/** @type {string} */ id, /** @type {boolean} */ newSecret) => this.adopt(id, newSecret),
    };
    return html`<ul class="rows after">${items.map((one) => keyRow(one, context))}</ul>
      ${next ? html`<p class="after"><a class="button" href=${withQuery({ cursor: next })}>More</a></p>` : ""}`;
  }
}

customElements.define("keys-page", KeysPage);

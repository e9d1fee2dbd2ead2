// Denies what waits in a conversation, one after the other, with one reason.
import { LitElement, html, nothing } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { deny, isOpen } from "../lib/confirmations.js";
import { name } from "../lib/text.js";
import { announce } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

class InboxDenyAll extends LitElement {
  static properties = { app: {}, items: {}, asking: { state: true }, busy: { state: true }, error: { state: true } };

  constructor() {
    super();
    /** @type {import("../app.js").ConsoleApp | undefined} */
    this.app = undefined;
    /** What is shown of the conversation. @type {Confirmation[]} */
    this.items = [];
    this.asking = false;
    this.busy = false;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
  }

  createRenderRoot() {
    return this;
  }

  /** What would be denied. */
  get deniable() {
    return this.items.filter((one) => isOpen(one) && (one.can_decide?.allowed ?? true));
  }

  render() {
    const session = this.items[0]?.requester.session;
    if (!session || (this.deniable.length < 2 && !this.asking)) return nothing;
    const label = html`<span>Deny all of ${name(session)}</span>`;
    if (!this.asking) {
      return html`<p><button type="button" class="quiet" @click=${this.ask}><span>${label}…</span></button></p>`;
    }
    const back = () => { this.asking = false; };
    return html`<form class="deny-all" autocomplete="off" @submit=${this.denyAll}>
      ${this.error ? problem(this.error) : nothing}
      <label>Why not, for all ${this.deniable.length} <input name="reason" maxlength="500"></label>
      <div class="actions"><button type="button" @click=${back}>Back</button>
        <button type="submit" ?disabled=${this.busy}>${label}</button></div></form>`;
  }

  async ask() {
    this.asking = true;
    await this.updateComplete;
    this.querySelector("input")?.focus();
  }

  /** Denies one after the other, each by its own request. @param {SubmitEvent} event */
  async denyAll(event) {
    event.preventDefault();
    const { service, confirmations } = this.app?.state ?? {};
    const field = /** @type {HTMLInputElement | null} */ (this.querySelector("[name=reason]"));
    if (!service || !confirmations || !field || this.busy) return;
    [this.busy, this.error] = [true, null];
    let done = 0;
    try {
      for (const one of this.deniable) {
        confirmations.put(await deny(service, one.id, field.value.trim()));
        done += 1;
      }
      this.asking = false;
    } catch (caught) {
      this.error = asApiError(caught);
      await confirmations.refresh();
    }
    this.busy = false;
    announce(`${done} denied.`);
    await this.updateComplete;
    this.closest("section")?.querySelector("h2")?.focus();
  }
}

customElements.define("inbox-deny-all", InboxDenyAll);

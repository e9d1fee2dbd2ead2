// What waits in one conversation: its cards, and a way to deny all of them.
import { LitElement, html, nothing, repeat } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { deny, isOpen } from "../lib/confirmations.js";
import { name } from "../lib/text.js";
import { announce, problem } from "../elements/parts.js";
import "../elements/confirmation.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

class InboxGroup extends LitElement {
  static properties = {
    app: {}, session: {}, items: {}, first: {}, asking: { state: true }, busy: { state: true }, error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../app.js").ConsoleApp | undefined} */
    this.app = undefined;
    /** The conversation. @type {string | null} */
    this.session = null;
    /** @type {Confirmation[]} */
    this.items = [];
    /** The one that is unfolded from the start. @type {string | null} */
    this.first = null;
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
    const count = this.items.filter(isOpen).length;
    return html`<section class="group" @confirmation=${this.changed}>
      <h2 tabindex="-1">${this.session ? html`Conversation ${name(this.session)}` : "No conversation"}
        <span class="muted">${count} waiting</span></h2>
      ${this.error ? problem(this.error) : nothing}
      <ul class="cards">${repeat(this.items, (one) => one.id, (one) => html`<li>${this.card(one)}</li>`)}</ul>
      ${this.session && this.deniable.length > 1 ? this.denial(this.session) : nothing}</section>`;
  }

  /** @param {Confirmation} one */
  card(one) {
    const state = this.app?.state;
    const inbox = location.pathname.replace(/\/$/, "");
    const links = { page: `${inbox}/${encodeURIComponent(one.id)}`, grants: `${inbox}/grants` };
    return html`<toolcrib-confirmation .one=${one} .service=${state?.service} .me=${state?.session?.user?.id ?? ""} .level=${3}
      .foldable=${true} ?folded=${one.id !== this.first} .links=${links}></toolcrib-confirmation>`;
  }

  /** @param {CustomEvent<Confirmation>} event */
  changed(event) {
    this.app?.state.waiting?.put(event.detail);
  }

  /** @param {string} session */
  denial(session) {
    const label = html`Deny all of ${name(session)}`;
    if (!this.asking) return html`<p><button type="button" class="quiet" @click=${this.ask}>${label}…</button></p>`;
    const back = () => { this.asking = false; };
    return html`<form class="deny-all" autocomplete="off" @submit=${this.denyAll}>
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
    const { service, waiting } = this.app?.state ?? {};
    const field = /** @type {HTMLInputElement | null} */ (this.querySelector("[name=reason]"));
    if (!service || !waiting || !field || this.busy) return;
    [this.busy, this.error] = [true, null];
    let done = 0;
    try {
      for (const one of this.deniable) {
        waiting.put(await deny(service, one.id, field.value.trim()));
        done += 1;
      }
      this.asking = false;
    } catch (caught) {
      this.error = asApiError(caught);
      await waiting.look();
    }
    this.busy = false;
    announce(`${done} denied.`);
    await this.updateComplete;
    this.querySelector("h2")?.focus();
  }
}

customElements.define("inbox-group", InboxGroup);

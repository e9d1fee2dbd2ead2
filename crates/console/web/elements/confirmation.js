// The card of a confirmation: the request and the decision. It shows what the service answered, and nothing before.
import { LitElement, html, nothing } from "../vendor/lit.js";
import { isOpen } from "../lib/confirmations.js";
import { TEXTS } from "../lib/text.js";
import { timeLeft } from "../lib/time.js";
import { attempt, keydown } from "./card-actions.js";
import { decision } from "./card-decision.js";
import { details, head, outcome } from "./card-parts.js";
import { ViewGuard } from "./guard.js";

/** @typedef {import("../lib/confirmations.js").Confirmation} Confirmation */

/** Sends `confirmation`, with the confirmation as a decision left it as its detail. */
export class ConfirmationCard extends LitElement {
  static properties = {
    confirmation: {}, service: {}, me: {}, level: {}, wrap: {}, links: {}, strings: {}, edit: {},
    mode: { state: true }, busy: { state: true }, error: { state: true }, note: { state: true },
  };

  constructor() {
    super();
    /** @type {Confirmation | null} */
    this.confirmation = null;
    /** @type {import("../lib/api.js").Service | null} */
    this.service = null;
    /** User id of the person in front of it. */
    this.me = "";
    this.level = 2;
    /** Makes the title a button where the card can be folded. @type {((title: unknown) => unknown) | null} */
    this.wrap = null;
    /** Own texts, in place of some of the usual ones. @type {Record<string, string>} */
    this.strings = {};
    /**
     * Addresses: its own page, the grants, where a person decides who can't do so here, and before the id of another.
     * @type {{ page?: string, grants?: string, elsewhere?: string, target?: string, other?: string }}
     */
    this.links = {};
    /** Shows the way to change the call. @type {typeof import("./console-parts.js").edit | null} */
    this.edit = null;
    /** @type {"" | "deny" | "edit"} */
    this.mode = "";
    /** Id of the confirmation that took the place of this one. */
    this.replacement = "";
    this.busy = false;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
    /** About an attempt whose result is not known. @type {string} */
    this.note = "";
    this.guard = new ViewGuard(this);
  }

  createRenderRoot() {
    return this;
  }

  timeOver() {
    this.requestUpdate();
    if (!this.busy) attempt(this, async () => ({}));
  }

  get texts() {
    return { ...TEXTS, ...this.strings };
  }

  /** Whether this person may decide it now. */
  get decidable() {
    const one = this.confirmation;
    return one !== null && isOpen(one) && timeLeft(one.expires_at) !== null && (one.can_decide?.allowed ?? true);
  }

  /** @param {string} id @returns {HTMLInputElement | null} */
  field(id) {
    return this.querySelector(`[data-testid=${id}]`);
  }

  get focusIsInside() {
    return this.querySelector(":focus") !== null;
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  update(changed) {
    const inside = this.focusIsInside;
    super.update(changed);
    // The control that had the focus is gone. The focus never moves to Approve.
    /** @type {HTMLElement | null} */
    const heading = this.querySelector("[role=heading]");
    if (inside && !this.focusIsInside) heading?.focus();
  }

  updated() {
    this.guard.watch(this.querySelector("[data-testid=approve-button]"));
  }

  /** @returns {unknown} */
  render() {
    const one = this.confirmation;
    if (!one) return nothing;
    const { page, target } = this.links;
    const { me, level, wrap, texts } = this;
    const title = head(one, { me, level, texts, wrap, timeOver: () => this.timeOver() });
    const body = html`${details(this, one)} ${isOpen(one) ? decision(this, one) : outcome(this, one)}
      ${page ? html`<p class="small"><a href=${page} target=${target ?? nothing}>${texts.history}</a></p>`
        : nothing}`;
    /** @param {KeyboardEvent} event */
    const keys = (event) => keydown(this, event);
    return html`<article class="confirmation ${one.level}" part="card" data-testid="permission-dialog"
      aria-labelledby="title-${one.id}" aria-busy=${String(this.busy)} @keydown=${keys}>${title}${body}</article>`;
  }
}

if (!customElements.get("toolcrib-confirmation")) customElements.define("toolcrib-confirmation", ConfirmationCard);

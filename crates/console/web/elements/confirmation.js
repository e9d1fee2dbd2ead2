// The card of a confirmation: what was asked, and the decision. It shows what the service says, and nothing before.
import { LitElement, html, nothing } from "../vendor/lit.js";
import { approve, deny, isOpen } from "../lib/confirmations.js";
import { decide, isLost } from "../lib/decision.js";
import { left } from "../lib/time.js";
import { decision, keydown } from "./card-decision.js";
import { head } from "./card-head.js";
import { asked, ended } from "./card-parts.js";
import { ViewGuard } from "./guard.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("../lib/decision.js").Attempt} Attempt
 */

/** Sends `confirmation`, with the confirmation as a decision left it as its detail, and `fold`. */
export class ConfirmationCard extends LitElement {
  static properties = {
    one: {}, service: {}, me: {}, level: {}, foldable: {}, links: {},
    mode: { state: true }, busy: { state: true }, error: { state: true }, note: { state: true },
  };

  constructor() {
    super();
    /** @type {Confirmation | null} */
    this.one = null;
    /** @type {import("../lib/api.js").Service | null} */
    this.service = null;
    /** User id of the person in front of it. */
    this.me = "";
    /** Level of its heading. */
    this.level = 2;
    this.foldable = false;
    /** Addresses: its own page, and the grants. @type {{ page?: string, grants?: string, target?: string }} */
    this.links = {};
    /** @type {"" | "deny"} */
    this.mode = "";
    this.busy = false;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
    /** What is said of an attempt that is no error of the service. @type {unknown} */
    this.note = "";
    this.phrase = "";
    this.guard = new ViewGuard(this);
  }

  createRenderRoot() {
    return this;
  }

  fold() {
    this.dispatchEvent(new Event("fold", { bubbles: true }));
  }

  timeOver() {
    this.requestUpdate();
    if (!this.busy) this.attempt(async () => ({}));
  }

  /** Whether this person may decide it now. */
  get decidable() {
    return this.one !== null && isOpen(this.one) && left(this.one.expires_at) !== null
      && (this.one.can_decide?.allowed ?? true);
  }

  /** Approves, or takes the next step to it. Does nothing where a press may be meant for something else. */
  async approve() {
    const [one, service] = [this.one, this.service];
    if (!one || !service || this.busy || this.mode || !this.decidable) return;
    if (!this.guard.ready) return this.guard.element?.scrollIntoView({ block: "nearest" });
    /** @type {Parameters<typeof approve>[2]} */
    const body = {};
    const field = this.field("confirm-input");
    if (field && !field.value) return field.focus();
    // As it was typed: a space too many is a wrong phrase.
    if (field) body.phrase = field.value;
    if (this.field("always-allow-checkbox")?.checked) body.remember = "session";
    const { answer } = await this.attempt(() => approve(service, one.id, body));
    this.phrase = answer?.phrase ?? this.phrase;
    await this.updateComplete;
    this.field("confirm-input")?.focus();
  }

  async deny() {
    const [one, service] = [this.one, this.service];
    if (!one || !service || this.busy || !this.decidable) return;
    const reason = this.field("reason-input")?.value.trim() ?? "";
    const { error } = await this.attempt(() => deny(service, one.id, reason));
    if (!error) this.mode = "";
  }

  /** @param {string} id @returns {HTMLInputElement | null} */
  field(id) {
    return this.querySelector(`[data-testid=${id}]`);
  }

  /** @param {() => Promise<any>} work @returns {Promise<Attempt>} */
  async attempt(work) {
    const { one, service } = this;
    if (!one || !service) return { one, error: null, answer: null };
    [this.busy, this.error, this.note] = [true, null, ""];
    const lost = () => { this.note = "No answer came. The result is not known: the service is asked again …"; };
    const attempt = await decide(service, one.id, work, { lost, given: () => !this.isConnected });
    const [error, now] = [attempt.error, attempt.one ?? one];
    const still = isOpen(now) && error !== null;
    this.busy = false;
    this.note = still && isLost(error) ? "It still waits: the decision did not arrive, or was not taken." : "";
    // Where it is decided, that is the news.
    this.error = still && !isLost(error) ? error : null;
    this.one = now;
    this.dispatchEvent(new CustomEvent("confirmation", { detail: now, bubbles: true }));
    return attempt;
  }

  get focusIsInside() {
    return this.querySelector(":focus") !== null;
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  update(changed) {
    const inside = this.focusIsInside;
    super.update(changed);
    // The control that had the focus is gone. The focus never moves to Approve.
    const heading = /** @type {HTMLElement | null} */ (this.querySelector("[role=heading]"));
    if (inside && !this.focusIsInside) heading?.focus();
  }

  updated() {
    this.guard.watch(this.querySelector("[data-testid=approve-button]"));
  }

  /** @returns {unknown} */
  render() {
    const one = this.one;
    if (!one) return nothing;
    const { page, target } = this.links;
    const { me, level, foldable } = this;
    const [fold, timeOver] = [() => this.fold(), () => this.timeOver()];
    const title = head(one, { me, level, unfolded: foldable || null, fold, timeOver });
    const body = html`${asked(one)} ${isOpen(one) ? decision(this, one) : ended(this, one)}
      ${page ? html`<p class="small"><a href=${page} target=${target ?? nothing}>Its history</a></p>` : nothing}`;
    return html`<article class="confirmation ${one.level}" part="card" data-testid="permission-dialog"
      aria-labelledby="title-${one.id}" aria-busy=${String(this.busy)} @keydown=${keydown}>${title}${body}</article>`;
  }
}

if (!customElements.get("toolcrib-confirmation")) customElements.define("toolcrib-confirmation", ConfirmationCard);

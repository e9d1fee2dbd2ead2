// Changes the arguments of a call before it is approved: a form, the arguments as JSON, and what would be different.
import { LitElement, html, nothing } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { approve } from "../lib/confirmations.js";
import { argumentOf, fields, read, written } from "../lib/form.js";
import { plain, sentence, text } from "../lib/text.js";
import { argumentControl } from "./argument-control.js";
import { attempt } from "./card-actions.js";
import { changes, difference } from "./difference.js";
import { json, problem } from "./parts.js";

/** @typedef {import("../lib/form.js").Field} Field */

class EditCall extends LitElement {
  static properties = {
    card: {}, ready: {}, busy: {}, all: { state: true }, error: { state: true }, inputs: { state: true },
    refusals: { state: true },
  };

  constructor() {
    super();
    /** @type {import("./confirmation.js").ConfirmationCard | null} */
    this.card = null;
    /** Whether a press of its approval counts. */
    this.ready = false;
    /** Whether the card waits for an answer. */
    this.busy = false;
    /** Null until the schema is read. @type {Field[] | null} */
    this.all = null;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
    /** Text by the name of the argument. @type {Record<string, string>} */
    this.inputs = {};
    /** Errors of the service. @type {import("../lib/form.js").FieldError[]} */
    this.refusals = [];
    /** Whether another person decides what was changed; null if it is not known. @type {boolean | null} */
    this.fourEyes = null;
  }

  createRenderRoot() {
    return this;
  }

  get original() {
    return /** @type {Record<string, unknown>} */ (this.card?.confirmation?.arguments ?? {});
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  async load() {
    const { confirmation: one, service } = this.card ?? {};
    if (!one || !service) return;
    this.error = null;
    try {
      const [action, settings] = await Promise.all([
        service.call("GET", `/v1/actions/${encodeURIComponent(one.action)}`),
        service.call("GET", "/v1/settings").catch(() => null),
      ]);
      this.fourEyes = settings?.four_eyes ?? null;
      const all = fields(action.input_schema);
      this.inputs = Object.fromEntries(all.map((field) => [field.name, written(field, this.original[field.name])]));
      this.all = all;
      await this.updateComplete;
      /** @type {HTMLElement | null} */ (this.querySelector("input, textarea, select"))?.focus();
    } catch (caught) {
      this.error = asApiError(caught);
    }
  }

  /** @param {Record<string, unknown>} values */
  async send(values) {
    const card = this.card;
    if (!card || card.busy || !card.guard.ready) return;
    const { answer, error } = await attempt(card, (service, id) => approve(service, id, { arguments: values }));
    card.replacement = answer?.confirmation?.id ?? "";
    this.refusals = (error?.errors ?? []).map((one) => ({ ...one, pointer: one.pointer.replace(/^\/arguments/, "") }));
    if (!error) card.mode = "";
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.querySelector("[aria-invalid=true]"))?.focus();
  }

  updated() {
    this.card?.guard.watch(this.querySelector("[data-testid=approve-button]"));
  }

  render() {
    const { card, all } = this;
    if (!card || this.error) return this.error ? problem(this.error, () => this.load()) : nothing;
    if (!all) return html`<p class="muted">Loading…</p>`;
    const { values, errors } = read(all, this.original, this.inputs);
    const changed = changes(this.original, values);
    const idle = this.busy || !this.ready || !changed.length || errors.length > 0;
    return html`<form class="edit" autocomplete="off" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <div class="sides"><div>${all.map((field) => this.field(field, errors))}</div>
        <div><h4>As it would run</h4>${json(values)}</div></div>
      <h4>${changed.length} changed, ${all.length - changed.length} as asked</h4>
      ${difference(changed)} ${this.rule()}
      <div class="buttons"><button type="button" @click=${() => { card.mode = ""; }}>Back</button>
        <button type="button" class="approve" part="approve" data-testid="approve-button" aria-disabled=${String(idle)}
          @click=${() => idle || this.send(values)}>${card.confirmation?.level === "typed" ? "Continue as changed"
            : "Approve as changed"}</button></div></form>`;
  }

  rule() {
    if (this.fourEyes === false) return nothing;
    const four = html`the changed call does not run: it waits as a new confirmation for another person.`;
    return html`<p class="said">${this.fourEyes ? html`Four eyes are on: ${four}`
      : html`Where the workspace has four eyes on, ${four}`}</p>`;
  }

  /** @param {Field} field @param {import("../lib/form.js").FieldError[]} errors of the inputs */
  field(field, errors) {
    const id = `edit-${field.name}-${this.card?.confirmation?.id}`;
    const wrong = [...errors, ...this.refusals].filter(({ pointer }) => argumentOf(pointer) === field.name);
    const was = written(field, this.original[field.name]);
    const isOriginal = this.inputs[field.name] === was;
    return html`<p class="field">
      <label for=${id}><code>${plain(field.name)}</code>${field.required ? " (required)" : ""}</label>
      ${this.control(field, id, wrong.length > 0)}
      ${isOriginal ? nothing : html`<span class="small">was: ${plain(was) || "nothing"}</span>`}
      ${wrong.length ? html`<span class="small error" id="wrong-${id}">${wrong.map(({ message }) =>
        text(sentence(message)))}</span>` : nothing}
      <span class="small muted" id="about-${id}">${text(field.description)}</span></p>`;
  }

  /** @param {Field} field @param {string} id @param {boolean} wrong */
  control(field, id, wrong) {
    const input = (/** @type {string} */ value) => { this.inputs = { ...this.inputs, [field.name]: value }; };
    return argumentControl(field, { id, value: this.inputs[field.name], wrong, input });
  }
}

if (!customElements.get("toolcrib-edit-call")) customElements.define("toolcrib-edit-call", EditCall);

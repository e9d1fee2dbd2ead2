// Tries a call: checks it without running it, or runs it. The arguments are a form, or JSON.
import { LitElement, html } from "../vendor/lit.js";
import { asApiError, call, parse } from "../lib/api.js";
import { actionPath } from "../lib/actions.js";
import { argumentOf, fields, read, written } from "../lib/form.js";
import { plain } from "../lib/text.js";
import { argumentControl, notes } from "./argument-control.js";
import { announce } from "./console-parts.js";
import { problem } from "./parts.js";

/**
 * @typedef {import("../lib/form.js").Field} Field
 * @typedef {import("../lib/form.js").FieldError} FieldError
 */

class TryCall extends LitElement {
  static properties = {
    workspace: {}, action: {}, schema: {}, inputs: { state: true }, text: { state: true }, errors: { state: true },
    busy: { state: true }, error: { state: true }, result: { state: true },
  };

  constructor() {
    super();
    this.workspace = "";
    this.action = "";
    /** Of the arguments. @type {unknown} */
    this.schema = {};
    /** What stands in the fields, by argument. @type {Record<string, string>} */
    this.inputs = {};
    /** The arguments that were there when the fields were filled. @type {Record<string, unknown>} */
    this.original = {};
    /** The arguments as JSON, where they are written so; null for the form. @type {string | null} */
    this.text = null;
    /** Of the arguments. @type {FieldError[]} */
    this.errors = [];
    this.busy = false;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
    /** Of a check or of the call, as a template. @type {unknown} */
    this.result = null;
  }

  createRenderRoot() {
    return this;
  }

  /** The arguments of the form; null if they are not valid, and `errors` has the reasons. */
  parseArguments() {
    if (this.text === null) {
      const { values, errors } = read(fields(this.schema), this.original, this.inputs);
      this.errors = errors;
      return errors.length ? null : values;
    }
    const { value, message } = parseObject(this.text);
    this.errors = message ? [{ pointer: "", message }] : [];
    return value;
  }

  /** Goes from the form to JSON, or back. */
  toggleForm() {
    const values = this.parseArguments();
    if (!values) return this.focusError();
    this.original = values;
    if (this.text === null) this.text = JSON.stringify(values, null, 2);
    else {
      this.inputs = Object.fromEntries(fields(this.schema).map((one) => [one.name, written(one, values[one.name])]));
      this.text = null;
    }
  }

  async focusError() {
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.querySelector("[aria-invalid=true]"))?.focus();
  }

  /** @param {"/check" | ""} more */
  async send(more) {
    const body = this.parseArguments();
    [this.error, this.result] = [null, null];
    if (!body) return this.focusError();
    this.busy = true;
    try {
      const [answer, { callResult, checkResult }] = await Promise.all([
        call("POST", actionPath(this.action, more), { workspace: this.workspace, body }), import("./call-answers.js"),
      ]);
      this.result = more ? checkResult(answer) : callResult(answer);
      this.errors = more ? answer.errors : [];
      announce(more ? "The call is checked." : "The call is answered.");
    } catch (caught) {
      this.error = asApiError(caught);
      this.errors = this.error.errors;
    }
    this.busy = false;
    if (this.errors.length) this.focusError();
  }

  render() {
    const form = this.text === null;
    return html`<form class="card" autocomplete="off" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <div class="head"><h2>Arguments</h2><button type="button" class="quiet"
          @click=${this.toggleForm}>${form ? "As JSON" : "As a form"}</button></div>
        ${form ? fields(this.schema).map((one) => this.field(one)) : this.json()}
        ${form && !fields(this.schema).length ? html`<p class="muted">It has none.</p>` : ""}
        <p class="small muted">“Check” says whether it would run. “Run” makes the call in your name, and it is in the
          audit log.</p>
        <div class="actions">
          <button type="button" ?disabled=${this.busy} @click=${() => this.send("/check")}>Check</button>
          <button type="button" ?disabled=${this.busy} @click=${() => this.send("")}>Run</button></div></form>
      ${this.error ? problem(this.error) : ""} ${this.result ?? ""}`;
  }

  json() {
    const [id, wrong] = ["arguments", this.errors.filter(({ pointer }) => pointer === "")];
    const input = (/** @type {string} */ value) => { this.text = value; };
    const kind = /** @type {Field} */ ({ kind: "json" });
    return html`<div class="field"><label for=${id}>Arguments, as JSON</label>
      ${argumentControl(kind, { id, value: this.text ?? "", wrong: wrong.length > 0, input })}
      ${notes(id, wrong, "An object, such as {}.")}</div>`;
  }

  /** @param {Field} field */
  field(field) {
    const [id, { name }] = [`argument-${field.name}`, field];
    const wrong = this.errors.filter(({ pointer }) => argumentOf(pointer) === name);
    const input = (/** @type {string} */ value) => { this.inputs = { ...this.inputs, [name]: value }; };
    const must = field.required ? " (required)" : "";
    return html`<div class="field"><label for=${id}><code>${plain(name)}</code>${must}</label>
      ${argumentControl(field, { id, value: this.inputs[name] ?? "", wrong: wrong.length > 0, input })}
      ${notes(id, wrong, field.description)}</div>`;
  }
}

/** @param {string} text @returns {{ value: Record<string, unknown> | null, message: string }} */
function parseObject(text) {
  try {
    const value = parse(text.trim() || "{}");
    const isObject = value instanceof Object && !Array.isArray(value);
    return isObject ? { value, message: "" } : { value: null, message: "write an object, such as {}" };
  } catch (caught) {
    return { value: null, message: `this is no JSON: ${caught instanceof Error ? caught.message : caught}` };
  }
}

customElements.define("try-call", TryCall);

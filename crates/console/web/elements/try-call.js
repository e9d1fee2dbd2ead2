// Tries a call: checks it without running it, or runs it.
import { LitElement, html } from "../vendor/lit.js";
import { asApiError, call } from "../lib/api.js";
import { actionPath } from "../lib/actions.js";
import { name, plain, text } from "../lib/text.js";
import { json } from "./blocks.js";
import { announce, problem } from "./parts.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/actions/{name}/check"]["post"]["responses"][200]} CheckAnswer
 * @typedef {CheckAnswer["content"]["application/json"]} Check
 */

class TryCall extends LitElement {
  static properties = {
    workspace: {}, action: {}, start: {},
    wrong: { state: true }, busy: { state: true }, error: { state: true }, check: { state: true },
    answer: { state: true },
  };

  constructor() {
    super();
    this.workspace = "";
    this.action = "";
    /** Arguments to start from. @type {unknown} */
    this.start = {};
    /** Why the text is no JSON object. */
    this.wrong = "";
    this.busy = false;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
    /** @type {Check | null} */
    this.check = null;
    /** What a call answered. @type {any} */
    this.answer = null;
  }

  createRenderRoot() {
    return this;
  }

  /** The arguments as they were typed, or null. */
  get given() {
    const typed = this.querySelector("textarea")?.value.trim() || "{}";
    try {
      const value = JSON.parse(typed);
      const isObject = value instanceof Object && !Array.isArray(value);
      this.wrong = isObject ? "" : "Write an object, such as {}.";
      return isObject ? value : null;
    } catch (caught) {
      this.wrong = `This is no JSON: ${caught instanceof Error ? caught.message : caught}`;
      return null;
    }
  }

  /** @param {"/check" | ""} more */
  async send(more) {
    const body = this.given;
    [this.error, this.check, this.answer] = [null, null, null];
    if (!body) return void this.querySelector("textarea")?.focus();
    this.busy = true;
    try {
      const found = await call("POST", actionPath(this.action, more), { workspace: this.workspace, body });
      if (more) this.check = found;
      else this.answer = found;
      announce(more ? "The call is checked." : "The call is answered.");
    } catch (caught) {
      this.error = asApiError(caught);
    }
    this.busy = false;
  }

  render() {
    return html`<div class="card"><label for="arguments">Arguments, as JSON</label>
      <textarea id="arguments" rows="6" spellcheck="false" autocapitalize="off"
        .value=${JSON.stringify(this.start, null, 2)}
        aria-invalid=${this.wrong ? "true" : "false"} aria-describedby="arguments-note"></textarea>
      <p class="small ${this.wrong ? "error" : "muted"}" id="arguments-note">${this.wrong ? plain(this.wrong)
        : html`“Check” says whether it would run. “Run” makes the call in your name, and it is in the audit log.`}</p>
      <div class="actions">
        <button type="button" ?disabled=${this.busy} @click=${() => this.send("/check")}>Check</button>
        <button type="button" ?disabled=${this.busy} @click=${() => this.send("")}>Run</button></div></div>
      ${this.error ? problem(this.error) : ""} ${this.check ? this.checked(this.check) : ""}
      ${this.answer ? this.answered(this.answer) : ""}`;
  }

  /** @param {Check} check */
  checked(check) {
    const said = !check.allowed ? "It would not run."
      : check.requires_confirmation ? "It would wait for a person." : "It would run at once.";
    return html`<section class="notice ${check.allowed ? "" : "wrong"}" aria-label="Check"><p><strong>${said}</strong>
        ${check.reason ? text(check.reason) : ""}</p>
      ${check.errors.length ? html`<ul>${check.errors.map((one) => html`<li><code>${plain(one.pointer || "/")}</code>
        ${text(one.message)}</li>`)}</ul>` : ""}
      ${check.warning ? html`<p>${text(check.warning)}</p>` : ""}
      ${check.summary.length ? html`<dl class="facts">${check.summary.map((one) => html`<dt>${name(one.label)}</dt>
        <dd>${name(one.value)}</dd>`)}</dl>` : ""}
      ${check.limit_remaining === null ? "" : html`<p class="small muted">${check.limit_remaining} calls of this kind
        are left this minute.</p>`}</section>`;
  }

  /** @param {any} answer */
  answered(answer) {
    const waits = answer.confirmation;
    return html`<section class="group" aria-label="Answer"><h2>${text(answer.description ?? answer.status)}</h2>
      ${waits ? html`<p class="notice">It waits for a person.
        <a href="/approve/${encodeURIComponent(waits.id)}">Open the confirmation</a></p>` : ""}
      ${json("Answer of the call", answer)}</section>`;
  }
}

customElements.define("try-call", TryCall);

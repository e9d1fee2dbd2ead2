// The webhooks of the workspace: messages to people, and events for programs.
import { html } from "../vendor/lit.js";
import { Page } from "../elements/page.js";
import "../elements/secret-once.js";
import { asApiError } from "../lib/api.js";
import { sentence, text } from "../lib/text.js";
import { settingsTabs } from "./settings-parts.js";
import { FORMATS, bodyOf, form, webhookRow } from "./webhooks-parts.js";

/** @typedef {import("./webhooks-parts.js").Webhook} Webhook */

/** @extends {Page<Webhook[]>} */
class WebhooksPage extends Page {
  constructor() {
    super();
    /** Id of the webhook that is about to be removed: the second press does it. */
    this.removing = "";
    /** The secret of a webhook that was made, until the person stored it. @type {string | null} */
    this.secret = null;
    /** Why the receiver did not take the message of the last test. @type {string | null} */
    this.refusal = null;
  }

  dataKey() {
    return "";
  }

  async read() {
    return (await this.call("GET", "/v1/webhooks?limit=100")).items;
  }

  /** @param {string} id @param {...string} rest */
  path(id, ...rest) {
    return ["/v1/webhooks", encodeURIComponent(id), ...rest].join("/");
  }

  /** @param {() => Promise<unknown>} work @param {string} place @param {string} said */
  async change(work, place, said) {
    this.refusal = null;
    await this.act(async () => {
      await work();
      this.data = await this.read();
    }, place, said);
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  async make(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const body = bodyOf(this.tabOf(FORMATS, "format"), new FormData(form));
    await this.change(async () => {
      try {
        this.secret = (await this.call("POST", "/v1/webhooks", { body })).secret;
      } catch (caught) {
        const error = asApiError(caught);
        // The fields have the names of what is in the receiver.
        for (const one of error.errors ?? []) one.pointer = one.pointer.replace(/^\/receiver/, "");
        throw error;
      }
      form.reset();
    }, "", "The webhook is made. Send a test.");
  }

  /** @param {Webhook} one */
  async test(one) {
    this.refusal = null;
    await this.act(async () => {
      const { ok, problem } = await this.call("POST", this.path(one.id, "test"), { body: {} });
      this.refusal = ok ? null : problem;
    }, one.id, () => (this.refusal === null ? "The receiver took the message." : ""));
    this.requestUpdate();
  }

  /** @param {Webhook} one */
  toggle(one) {
    const body = { enabled: !one.enabled };
    return this.change(() => this.call("PATCH", this.path(one.id), { body }), one.id,
      `The webhook is ${one.enabled ? "off" : "on"}.`);
  }

  /** @param {Webhook} one */
  async removeWebhook(one) {
    const isSecond = this.removing === one.id;
    this.removing = isSecond ? "" : one.id;
    if (isSecond) await this.change(() => this.call("DELETE", this.path(one.id)), "", "The webhook is removed.");
    this.requestUpdate();
  }

  stored() {
    this.secret = null;
    this.requestUpdate();
  }

  render() {
    return html`<h1 tabindex="-1">Webhooks</h1> ${settingsTabs(this.workspace, "webhooks")}
      <p class="lead muted">Slack, Telegram and Twilio carry messages to people: notifications of admins, and calls
        that wait for a decision. A program gets signed events.</p>
      ${this.secret ? html`<secret-once .value=${this.secret} @stored=${this.stored}></secret-once>` : ""}
      ${this.renderData((all) => html`${all.map((one) => this.row(one))} ${this.form()}`)}`;
  }

  /** @param {Webhook} one */
  row(one) {
    const refused = (/** @type {string} */ id) => (this.refusal !== null && this.place === id
      ? html`<div class="feedback"><p class="notice wrong" role="alert">${text(sentence(this.refusal))}</p></div>`
      : this.feedback(id));
    return webhookRow(one, {
      busy: this.busy, removing: this.removing, feedback: refused, test: (it) => this.test(it),
      toggle: (it) => this.toggle(it), remove: (it) => this.removeWebhook(it),
    });
  }

  form() {
    return html`<form class="card" autocomplete="off" aria-labelledby="add-webhook" @submit=${this.make}>
      <h2 id="add-webhook">Add a webhook</h2> ${form(this.tabOf(FORMATS, "format"))}
      <div class="actions"><button type="submit" class="primary" ?disabled=${this.busy}>Add it</button></div>
      ${this.feedback()}</form>`;
  }
}

customElements.define("webhooks-page", WebhooksPage);

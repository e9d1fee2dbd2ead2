// Which actions have a tool of their own, for a caller type or an agent.
import { html } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { name, plain } from "../lib/text.js";
import { pluralize } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { settingsTabs } from "./settings-parts.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/promotions"]["get"]["responses"][200]["content"]} Content
 * @typedef {Content["application/json"]} Promotions
 * @typedef {Promotions["items"][number]} Promotion
 */

/** @type {Record<string, string>} */
const KIND = { agent: "agent", caller_type: "caller type" };

/** @extends {Page<Promotions>} */
class PromotionsPage extends Page {
  dataKey() {
    return "";
  }

  read() {
    return this.call("GET", "/v1/promotions");
  }

  /** The caller whose promotions are edited, from the address. */
  get chosen() {
    return this.query.get("caller") ?? "";
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  async save(event) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const caller = String(form.get("caller") ?? "").trim();
    const actions = String(form.get("actions") ?? "").split(/[\s,]+/).filter(Boolean);
    const work = () => this.call("PUT", path(caller), { body: { actions } });
    await this.change(caller, work, "", "The promotions are saved.");
  }

  /** @param {string} caller */
  async restore(caller) {
    await this.change(caller, () => this.call("DELETE", path(caller)), caller, "The default is back.");
  }

  /** @param {string} caller @param {() => Promise<unknown>} work @param {string} place @param {string} said */
  async change(caller, work, place, said) {
    if (!(await this.act(work, place, said))) return;
    await this.app?.go(withQuery({ caller }), true);
    await this.load();
  }

  render() {
    return html`<h1 tabindex="-1">Promotions</h1> ${settingsTabs(this.workspace, "promotions")}
      <p class="lead">A promoted action has a tool of its own in lists; the others are called through the dispatcher.
        Promotions change what a model is shown, never what a caller may call.</p>
      ${this.renderData((data) => this.show(data))}`;
  }

  /** @param {Promotions} data */
  show({ items, usual }) {
    const edited = items.find((one) => one.caller === this.chosen);
    const start = (edited?.actions ?? usual).join("\n");
    return html`<ul class="rows">${items.map((one) => this.row(one))}
        <li><details><summary><strong>Everybody else</strong> <span class="small muted">${pluralize(usual.length,
          "action")}</span></summary>${names(usual)}</details></li></ul>
      <form class="card after" @submit=${this.save} autocomplete="off"><h2>Choose for a caller</h2>
        <label>Caller type, agent's id or agent's name <input name="caller" required spellcheck="false"
          autocapitalize="off" .value=${this.chosen}></label>
        <label for="actions">Actions, one a line, at most 32</label>
        <textarea id="actions" name="actions" rows="8" spellcheck="false" .value=${start}></textarea>
        <div class="actions"><button type="submit" class="primary" ?disabled=${this.busy}>Save</button></div>
        ${this.feedback()}</form>`;
  }

  /** @param {Promotion} one */
  row(one) {
    return html`<li><details class="grow" ?open=${one.caller === this.chosen}><summary>
        <strong>${name(one.caller)}</strong> <span class="small muted">${KIND[one.whose]},
          ${pluralize(one.actions.length, "action")}</span></summary>${names(one.actions)}</details>
      ${one.built_in ? html`<span class="tag">built in</span>` : html`<button type="button"
        ?disabled=${this.busy} @click=${() => this.restore(one.agent_id ?? one.caller)}>Restore the default<span
          class="unseen"> of
          ${plain(one.caller)}</span></button>`}
      <a href="?${new URLSearchParams({ caller: one.caller })}">Edit<span class="unseen">
        ${plain(one.caller)}</span></a>${this.feedback(one.agent_id ?? one.caller)}</li>`;
  }
}

/** @param {string} caller */
const path = (caller) => `/v1/promotions/${encodeURIComponent(caller)}`;

/** @param {string[]} actions */
const names = (actions) => (actions.length ? html`<ul class="names">${actions.map((one) => html`<li>
  <code>${plain(one)}</code></li>`)}</ul>` : html`<p class="muted">None: all are called through the dispatcher.</p>`);

customElements.define("promotions-page", PromotionsPage);

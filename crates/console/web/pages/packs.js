// The packs of this build: which of them the workspace uses, and with which settings.
import { html } from "../vendor/lit.js";
import { argumentControl, notes } from "../elements/argument-control.js";
import { fact, figure, pluralize } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { argumentOf, fields, read, written } from "../lib/form.js";
import { plain, text } from "../lib/text.js";
import { settingsTabs } from "./settings-parts.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/packs"]["get"]["responses"][200]["content"]} Content
 * @typedef {Content["application/json"]} Packs
 * @typedef {Packs["items"][number]} Pack
 * @typedef {import("../lib/form.js").FieldError} FieldError
 */

/** What is wrong with an upstream, by `problem` of its test. @type {Record<string, string>} */
const PROBLEMS = {
  address: "its address may not be called", connection: "there is no connection to it",
  certificate: "its certificate is not valid", timeout: "it did not answer in time",
  secret: "it refused the secret", answer: "its answer is an error, a redirect, or not of such a service",
};

/** @extends {Page<Packs>} */
class PacksPage extends Page {
  static properties = { ...Page.properties, inputs: { state: true }, errors: { state: true },
    refusal: { state: true } };

  constructor() {
    super();
    /** What stands in the fields of the settings, by pack. @type {Record<string, Record<string, string>>} */
    this.inputs = {};
    /** What is wrong with the settings of the pack that was saved last. @type {FieldError[]} */
    this.errors = [];
    /** What the last check of an upstream found; empty if nothing is wrong. */
    this.refusal = "";
  }

  /** @returns {Promise<Packs>} */
  read() {
    this.inputs = {};
    return this.call("GET", "/v1/packs");
  }

  /** @param {Pack} pack @param {object} body @param {string} said */
  async change(pack, body, said) {
    this.refusal = "";
    const done = await this.act(async () => {
      await this.call("PATCH", `/v1/packs/${pack.slug}`, { body, version: `"${pack.version}"` });
      this.data = await this.read();
      // The navigation has the pages of the packs that are on.
      await this.app?.state.readRights();
    }, pack.slug, said);
    this.app?.requestUpdate();
    const wrong = done ? [] : this.failure?.errors ?? [];
    this.errors = wrong.map((one) => ({ ...one, pointer: one.pointer.replace("/settings", "") }));
  }

  /** @param {Pack} pack */
  toggle(pack) {
    return this.change(pack, { enabled: !pack.enabled }, `${pack.title} is ${pack.enabled ? "off" : "on"}.`);
  }

  /** @param {Pack} pack @param {string} name of the upstream */
  async check(pack, name) {
    this.refusal = "";
    await this.act(async () => {
      const { ok, problem } = await this.call("POST", `/v1/upstreams/${name}/test`, { body: {} });
      this.refusal = ok ? "" : `${name}: ${PROBLEMS[problem] ?? problem}.`;
    }, pack.slug, () => (this.refusal ? "" : `${name} answers.`));
  }

  /** @param {Pack} pack @param {SubmitEvent} event */
  save(pack, event) {
    event.preventDefault();
    const before = /** @type {Record<string, unknown>} */ (pack.settings ?? {});
    const all = fields(pack.settings_schema);
    const typed = { ...Object.fromEntries(all.map((one) => [one.name, written(one, before[one.name])])),
      ...this.inputs[pack.slug] };
    const { values, errors } = read(all, before, typed);
    this.errors = errors;
    [this.place, this.failure, this.said, this.refusal] = [pack.slug, null, "", ""];
    if (!errors.length) this.change(pack, { settings: values }, "Saved.");
  }

  render() {
    return html`<h1 tabindex="-1">Packs</h1> ${settingsTabs(this.workspace, "packs")}
      <p class="muted">A pack is a set of actions beside the platform's. It is off until an admin switches it on.</p>
      ${this.renderData(({ items }) => items.length ? items.map((pack) => this.pack(pack))
        : html`<p>This build has no packs.</p>`)}`;
  }

  /** @param {Pack} pack */
  pack(pack) {
    const id = `pack-${plain(pack.slug)}`;
    const state = pack.enabled ? "on" : pack.offered ? "off" : "not offered by the operator";
    return html`<section class="card" aria-labelledby=${id}>
      <div class="head"><h2 id=${id}>${plain(pack.title)} <span class="muted">${state}</span></h2>
        <button type="button" ?disabled=${this.busy || (!pack.enabled && !pack.offered)}
          @click=${() => this.toggle(pack)}>Switch ${pack.enabled ? "off" : "on"}<span
          class="unseen"> ${plain(pack.title)}</span></button></div>
      <p>${text(pack.description)}</p>
      <dl class="facts">${fact("Actions", figure(pack.actions, "in the lists of those who may call them"))}
        ${fact("Tokens", figure(pack.tokens, "that it adds to the default list of an admin"))}
        ${pack.upstreams.map((one) => this.upstream(pack, one))}</dl>
      ${pack.settings_schema ? this.settings(pack) : ""} ${
        this.refusal && this.place === pack.slug
          ? html`<div class="feedback"><p class="notice wrong" role="alert">${text(this.refusal)}</p></div>`
          : this.feedback(pack.slug)}</section>`;
  }

  /** @param {Pack} pack @param {Pack["upstreams"][number]} upstream */
  upstream(pack, { name, purpose, set }) {
    const check = set && this.may("integrations:manage") ? html`<button type="button" ?disabled=${this.busy}
      @click=${() => this.check(pack, name)}>Check<span class="unseen"> ${plain(name)}</span></button>` : "";
    return fact(html`<code>${plain(name)}</code>`, html`${set ? "set" : "not set"} <span
      class="muted">${text(purpose)}</span> ${check}`);
  }

  /** @param {Pack} pack */
  settings(pack) {
    const all = fields(pack.settings_schema);
    return html`<form autocomplete="off" @submit=${(/** @type {SubmitEvent} */ event) => this.save(pack, event)}>
      <h3>${pluralize(all.length, "setting")}</h3> ${all.map((field) => this.field(pack, field))}
      <div class="actions"><button type="submit" ?disabled=${this.busy}>Save</button></div></form>`;
  }

  /** @param {Pack} pack @param {import("../lib/form.js").Field} field */
  field(pack, field) {
    const [id, { name }] = [`${plain(pack.slug)}-${field.name}`, field];
    const isLast = this.place === pack.slug;
    const wrong = this.errors.filter(({ pointer }) => isLast && argumentOf(pointer) === name);
    const before = /** @type {Record<string, unknown>} */ (pack.settings ?? {});
    const input = (/** @type {string} */ value) => {
      this.inputs = { ...this.inputs, [pack.slug]: { ...this.inputs[pack.slug], [name]: value } };
    };
    const value = this.inputs[pack.slug]?.[name] ?? written(field, before[name] ?? undefined);
    return html`<div class="field"><label for=${id}><code>${plain(name)}</code></label>
      ${argumentControl(field, { id, value, wrong: wrong.length > 0, input })}
      ${notes(id, wrong, field.description)}</div>`;
  }
}

customElements.define("packs-page", PacksPage);

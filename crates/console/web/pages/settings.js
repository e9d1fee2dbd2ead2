// The settings of the workspace: what each changes, and who may change it.
import { html } from "../vendor/lit.js";
import { Page } from "../elements/page.js";
import { announce } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";
import { changesOf, fields, limits, settingsTabs } from "./settings-parts.js";

/** @typedef {import("./settings-parts.js").Settings} Settings */

/** @extends {Page<Settings>} */
class SettingsPage extends Page {
  constructor() {
    super();
    /** Settings that the last change changed. @type {string[] | null} */
    this.changed = null;
  }

  read() {
    return this.call("GET", "/v1/settings");
  }

  /** Changes what differs from what was read. @param {import("../elements/blocks.js").FormEvent} event */
  async save(event) {
    event.preventDefault();
    const before = this.data;
    if (!before) return;
    const body = changesOf(before, new FormData(event.currentTarget));
    this.changed = null;
    if (!Object.keys(body).length) return announce("Nothing is different.");
    // The version makes sure that nobody's change in the meantime is overwritten.
    const done = await this.act(async () => {
      const after = await this.call("PATCH", "/v1/settings", { body, version: `"${before.version}"` });
      [this.data, this.changed] = [after, after.changed_fields];
    });
    if (done) announce("The settings are saved.");
  }

  async again() {
    this.failure = null;
    await this.load();
  }

  render() {
    return html`<h1 tabindex="-1">Settings</h1> ${settingsTabs(this.workspace, "")}
      ${this.renderData((data) => this.show(data))}`;
  }

  /** @param {Settings} data */
  show(data) {
    const isOld = this.failure?.problem.code === "precondition_failed";
    return html`${this.failure ? problem(this.failure, isOld ? () => this.again() : null) : ""}
      ${this.changed ? html`<div class="notice good" role="status"><p><strong>Saved.</strong>
        Changed: ${this.changed.map((one) => html`<code>${one}</code> `)}</p></div>` : ""}
      <form class="settings" @submit=${this.save} autocomplete="off">${fields(data)}
        <div class="actions"><button type="submit" class="primary" ?disabled=${this.busy}>Save</button></div></form>
      ${limits(data)}`;
  }
}

customElements.define("settings-page", SettingsPage);

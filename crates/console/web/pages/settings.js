// The settings of the workspace: what each changes, and who may change it.
import { html } from "../vendor/lit.js";
import { Page } from "../elements/page.js";
import { changesOf, fields, limits, settingsTabs } from "./settings-parts.js";

/** @typedef {import("./settings-parts.js").Settings} Settings */

/** @extends {Page<Settings>} */
class SettingsPage extends Page {
  read() {
    return this.call("GET", "/v1/settings");
  }

  /** Changes what differs from what was read. @param {import("../elements/blocks.js").FormEvent} event */
  async save(event) {
    event.preventDefault();
    const before = this.data;
    if (!before) return;
    const body = changesOf(before, new FormData(event.currentTarget));
    let said = "Nothing is different.";
    // The version makes sure that nobody's change in the meantime is overwritten.
    await this.act(async () => {
      if (!Object.keys(body).length) return;
      const after = await this.call("PATCH", "/v1/settings", { body, version: `"${before.version}"` });
      this.data = after;
      said = `Saved. Changed: ${after.changed_fields.join(", ")}.`;
    }, "", () => said);
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
    return html`<form class="settings" @submit=${this.save} autocomplete="off">${fields(data)}
        <div class="actions"><button type="submit" class="primary" ?disabled=${this.busy}>Save</button></div>
        ${this.feedback("", isOld ? () => this.again() : undefined)}</form>
      ${limits(data)}`;
  }
}

customElements.define("settings-page", SettingsPage);

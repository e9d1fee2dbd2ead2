// What an empty tab of the inbox says: what would fill it.
import { LitElement, html } from "../vendor/lit.js";
import "../elements/console-parts.js";

/** @typedef {import("../lib/state.js").State} State */

class InboxEmpty extends LitElement {
  static properties = { app: {}, tab: {} };

  constructor() {
    super();
    /** @type {import("../app.js").ConsoleApp | undefined} */
    this.app = undefined;
    this.tab = "";
  }

  createRenderRoot() {
    return this;
  }

  render() {
    return this.app ? empty(this.tab, this.app.state) : "";
  }
}

customElements.define("inbox-empty", InboxEmpty);

/** @param {string} tab @param {State} state */
function empty(tab, state) {
  if (tab === "others") return nobodyElse(state);
  const said = tab === "decided" ? "Nothing was decided yet." : "Nothing waits for you.";
  return html`<div class="empty"><p><strong>${said}</strong></p>
    <p>A call that needs a person's decision appears here: a destructive one, and in some workspaces every write. This
      one waits, if your role may delete agents; put your token and the name of an agent in:</p>
    ${command(state.workspace ?? "")}</div>`;
}

/** @param {State} state */
function nobodyElse(state) {
  const all = state.me?.role === "admin" || state.me?.role === "owner";
  return html`<div class="empty"><p><strong>Nothing waits for others${all ? "" : " that you may see"}.</strong></p>
    <p>${all ? "What other people and their agents ask for in this workspace appears here."
      : "Admins and owners see here what other people and their agents ask for."}</p></div>`;
}

/** A call that waits for a person. @param {string} workspace */
function command(workspace) {
  const lines = [
    `curl ${location.origin}/v1/actions/platform_delete_agent \\`,
    "  -H \"Authorization: Bearer $TOKEN\" \\",
    `  -H 'X-Workspace-Id: ${workspace}' \\`,
    "  -H 'Content-Type: application/json' -d '{\"agent\": \"NAME\"}'",
  ].join("\n");
  return html`<div class="command"><pre><code>${lines}</code></pre>
    <copy-text .value=${lines} what="command"></copy-text></div>`;
}

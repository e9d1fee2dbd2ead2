// From nothing to the first call: a key, code to copy, the call and what it left, and one that waits for a person.
import { html } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { snippet, tabs } from "../elements/blocks.js";
import { auditCalls } from "../elements/audit-rows.js";
import { Page } from "../elements/page.js";
import { announce } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";
import { formatTime } from "../lib/time.js";
import { home, pageAddress } from "../routes.js";
import "../elements/secret-once.js";
import { CALLER, STACKS, firstCall, newKey, waitingCall } from "./connect-code.js";

/** @typedef {import("../lib/audit.js").Row} Row */

/** @extends {Page<Row[]>} the calls of chatbots, newest first */
class ConnectPage extends Page {
  constructor() {
    super();
    /** The secret of the key that was made, until the person stored it. @type {string | null} */
    this.secret = null;
  }

  get stack() {
    const stack = this.query.get("stack") ?? "";
    return Object.hasOwn(STACKS, stack) ? stack : "";
  }

  dataKey() {
    return "";
  }

  /** @returns {Promise<Row[]>} */
  async read() {
    if (!this.may("audit:read")) return [];
    const query = new URLSearchParams({ group: "call", caller_type: CALLER, kind: "call", limit: "3" });
    return (await this.call("GET", `/v1/audit?${query}`)).items;
  }

  async make() {
    const done = await this.act(async () => {
      this.secret = (await this.call("POST", "/v1/keys", { body: newKey() })).secret;
    });
    if (done) announce("The key is made. Its secret is shown once.");
  }

  stored() {
    this.secret = null;
    this.requestUpdate();
  }

  async look() {
    await this.load();
    announce(this.data?.length ? "There is a call." : "There is no call yet.");
  }

  render() {
    /** @type {[string, unknown][]} */
    const steps = [
      ["Make a key", this.makeKey()], ["Copy the code", this.copyCode()],
      ["Run it, and look for the call", this.wait()],
      ["See what the call left", this.see()], ["Approve a call", this.approve()],
    ];
    return html`<h1 tabindex="-1">Connect</h1>
      <p class="lead muted">From nothing to the first call of your chatbot, in five steps.</p>
      <ol class="steps">${steps.map(([title, content], n) => html`<li class="card"><h2>${n + 1}. ${title}</h2>
        ${content}</li>`)}</ol>`;
  }

  makeKey() {
    if (!this.may("keys:manage")) return this.forbidden("keys:manage");
    const relay = `${pageAddress(this.workspace, "keys", "new")}?preset=relay`;
    return html`<p>A key for your chatbot's backend: it reads and uses everything as an editor, and is limited by your
        own rights. Keep it where the model runs.</p>
      ${this.failure ? problem(this.failure) : ""}
      ${this.secret ? html`<secret-once .value=${this.secret} @stored=${this.stored}></secret-once>` : html`
        <div class="actions"><button type="button" class="primary" ?disabled=${this.busy} @click=${this.make}>Make the
          key</button></div>`}
      <p class="small muted">Users without tokens of their own decide by a second key, which an owner makes:
        <a href=${relay}>the relaying key</a>.</p>`;
  }

  copyCode() {
    const stacks = Object.entries(STACKS);
    return html`${tabs("Your stack", stacks.map(([word, { title }]) => [word, title]), this.stack,
      (stack) => withQuery({ stack }))}
      <p>Put the secret into the environment: <code>CRIB_KEY</code>.</p>
      ${snippet(firstCall(this.stack, this.workspace), "code")}`;
  }

  wait() {
    if (!this.may("audit:read")) return html`<p>Run the code. It prints the answer of the service.</p>`;
    return html`${this.renderData((calls) => (calls.length ? html`<p role="status"><strong>There is a call</strong>,
        of ${formatTime(calls[0].occurred_at)}.</p>`
      : html`<p role="status">No call yet. Run the code, then look.</p>`))}
      <div class="actions"><button type="button" @click=${this.look}>Look for the call</button></div>`;
  }

  see() {
    if (!this.may("audit:read")) return html`<p>Admins and owners see every call in the audit log.</p>`;
    const all = `${pageAddress(this.workspace, "audit")}?${new URLSearchParams({ caller_type: CALLER })}`;
    return this.data?.length ? html`${auditCalls(this.data, this.workspace)}
        <p><a href=${all}>All calls of chatbots</a></p>`
      : html`<p class="muted">The row of the call appears here: who called, what was decided, and the arguments.</p>`;
  }

  approve() {
    const action = (/** @type {string} */ name) =>
      html`<a href=${pageAddress(this.workspace, "actions", name)}><code>${name}</code></a>`;
    return html`<p>This call destroys something, so it waits until a person decides. Put in your own token and the name
        of an agent, run it, and deny it in the <a href=${home(this.workspace)}>inbox</a>. Without a token, run
        ${action("platform_delete_agent")} here; ${action("platform_create_agent")} makes an agent.</p>
      ${snippet(waitingCall(this.workspace), "command")}`;
  }
}

customElements.define("connect-page", ConnectPage);

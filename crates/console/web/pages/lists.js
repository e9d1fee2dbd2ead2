// The tool lists: exactly what a model gets, what it costs, and what was left out.
import { html } from "../vendor/lit.js";
import { formQuery, withQuery } from "../lib/address.js";
import { DEFAULTS, comparedOptions, keyOf, optionsOf, parse, sizeOf } from "../lib/tool-lists.js";
import { pageAddress } from "../routes.js";
import { Page } from "../elements/page.js";
import { announce } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";
import { curlCommand } from "../lib/command.js";
import { ROLE } from "../lib/session.js";
import { word } from "../lib/text.js";
import { code, json, snippet, tabs } from "../elements/blocks.js";
import { comparison, form, leftOut, strictness, summary, tools } from "./lists-parts.js";
import { whomFields, whomOf } from "./whom.js";

/**
 * @typedef {import("../lib/tool-lists.js").ToolList} ToolList
 * @typedef {import("../lib/tool-lists.js").ListOfOther} ListOfOther
 * @typedef {import("../lib/tool-lists.js").ListOptions} ListOptions
 * @typedef {object} Data one of these
 * @property {ToolList} [list] the person's own
 * @property {ListOfOther} [other] of the caller that the address names, for those who may read the audit log
 * @property {string} [prompt]
 */

/** The views, as they are in the address. @type {[string, string][]} */
const VIEWS = [["", "Tools"], ["prompt", "Prompt"], ["json", "JSON"]];

/** @extends {Page<Data>} */
class ListsPage extends Page {
  constructor() {
    super();
    /** Lists that were read, by their options. @type {Map<string, ToolList>} */
    this.lists = new Map();
  }

  get view() {
    return this.tabOf(VIEWS, "view");
  }

  get options() {
    return optionsOf(this.query);
  }

  /** Whether the page may show what other callers get. */
  get seesOthers() {
    return this.may("audit:read");
  }

  dataKey() {
    if (this.view === "prompt") return "prompt";
    return JSON.stringify([this.seesOthers ? whomOf(this.query) : null, keyOf(this.options)]);
  }

  async read() {
    if (this.view === "prompt") return { prompt: await this.call("GET", "/v1/tools/prompt?include_promoted=true") };
    if (!this.seesOthers) return { list: await this.readList(this.options) };
    const options = Object.entries(this.options).map(([name, value]) => [name, String(value)]);
    const query = new URLSearchParams([...whomOf(this.query), ...options]);
    return { other: await this.call("GET", `/v1/access/tools?${query}`) };
  }

  /** @param {ListOptions} options @returns {Promise<ToolList>} */
  async readList(options) {
    const list = parse(await this.call("POST", "/v1/tools", { body: options, as: "text" }));
    this.lists.set(this.workspace + keyOf(options), list);
    return list;
  }

  /** @param {ListOptions} options */
  find(options) {
    return this.lists.get(this.workspace + keyOf(options));
  }

  /** Reads the lists of the other strategies. */
  async compare() {
    const missing = comparedOptions(this.options).filter((one) => !this.find(one));
    if (await this.act(() => Promise.all(missing.map((one) => this.readList(one))))) {
      announce("The strategies are comparedOptions.");
    }
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    event.preventDefault();
    this.app?.go(withQuery(formQuery(event.currentTarget, DEFAULTS)), false);
  }

  render() {
    return html`<h1 tabindex="-1">Lists</h1>
      <p class="lead muted">Exactly what a model gets from ${this.seesOthers ? "you, or from another caller" : "you"}:
        the tools of a role in this workspace, in the shape of each provider. An action that a caller may not call is in
        no list of it.
        ${this.may("agents:manage") ? html`Which actions have a tool of their own is set in
          <a href=${pageAddress(this.workspace, "settings", "promotions")}>Promotions</a>.` : ""}</p>
      ${tabs("Lists", VIEWS, this.view, (view) => withQuery({ view }))}
      ${this.view === "prompt" ? this.prompt() : this.listView()}`;
  }

  prompt() {
    return this.renderData(({ prompt = "" }) => html`
      <p class="lead">For models that learn their tools from the system prompt: <code>GET /v1/tools/prompt</code>,
        about ${Math.round(prompt.length / 4)} tokens.
        <copy-text .value=${prompt} what="prompt"></copy-text></p>
      ${code("Prompt", prompt)}`);
  }

  listView() {
    const whom = this.seesOthers ? whomFields(this.query, this.data?.other?.caller_types) : "";
    return html`${form(this.options, whom, (event) => this.submit(event))}
      ${this.renderData(({ list, other }) => (other ? this.showList({ ...other.list, bytes: other.bytes }, other)
        : list ? this.showList(list) : ""))}`;
  }

  /** @param {ToolList} list @param {ListOfOther} [other] */
  showList(list, other) {
    const options = this.options;
    const figures = summary(list, other && whomOf(this.query).length ? "such a caller" : "you");
    if (this.view === "json") {
      const { bytes: _, ...answer } = list;
      return html`${figures} ${snippet(curlCommand("/v1/tools", options, this.workspace), "command")}
        <div class="head"><h2>Answer</h2><copy-text .value=${JSON.stringify(answer)} what="answer"></copy-text></div>
        ${json("Answer", answer)}`;
    }
    const rows = other?.strategies ?? comparedOptions(options).map((one) => sizeOf(one, this.find(one)));
    const compare = html`<button type="button" ?disabled=${this.busy} @click=${() => this.compare()}>Compare</button>`;
    return html`${figures} ${other ? roleNote(this.query.get("role"), other.role) : ""}
      ${this.failure ? problem(this.failure) : ""}
      ${comparison(rows, options, compare)} ${strictness(list)} ${leftOut(list, options)} ${tools(list)}`;
  }
}

/**
 * A note about an agent whose role is lower than that of its member.
 * @param {string | null} asked @param {string | null} role
 */
const roleNote = (asked, role) => (asked && role && asked !== role
  ? html`<p class="muted">An agent has at most the role ${word(ROLE, role)} in this workspace.</p>` : "");

customElements.define("lists-page", ListsPage);

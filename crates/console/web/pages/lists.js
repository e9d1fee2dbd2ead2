// The tool lists: exactly what a model gets, what it costs, and what was left out.
import { html } from "../vendor/lit.js";
import { formQuery, withQuery } from "../lib/address.js";
import { USUAL, compared, keyOf, optionsOf, parse } from "../lib/tool-lists.js";
import { pageAddress } from "../routes.js";
import { Page } from "../elements/page.js";
import { announce, problem } from "../elements/parts.js";
import { curlCommand } from "../lib/command.js";
import { code, json, snippet, tabs } from "../elements/blocks.js";
import { comparison, form, leftOut, strictness, summary, tools } from "./lists-parts.js";

/**
 * @typedef {import("../lib/tool-lists.js").ToolList} ToolList
 * @typedef {import("../lib/tool-lists.js").ListOptions} ListOptions
 */

/** The views, as they are in the address. @type {[string, string][]} */
const VIEWS = [["", "Tools"], ["prompt", "Prompt"], ["json", "JSON"]];

/** @extends {Page<{ list?: ToolList, prompt?: string }>} */
class ListsPage extends Page {
  constructor() {
    super();
    /** Lists that were read, by their options. @type {Map<string, ToolList>} */
    this.known = new Map();
  }

  get view() {
    const view = this.query.get("view") ?? "";
    return VIEWS.some(([one]) => one === view) ? view : "";
  }

  get options() {
    return optionsOf(this.query);
  }

  dataKey() {
    return this.view === "prompt" ? "prompt" : keyOf(this.options);
  }

  async read() {
    if (this.view === "prompt") return { prompt: await this.call("GET", "/v1/tools/prompt?include_promoted=true") };
    return { list: await this.readList(this.options) };
  }

  /** @param {ListOptions} options @returns {Promise<ToolList>} */
  async readList(options) {
    const list = parse(await this.call("POST", "/v1/tools", { body: options, asText: true }));
    this.known.set(this.workspace + keyOf(options), list);
    return list;
  }

  /** @param {ListOptions} options */
  find(options) {
    return this.known.get(this.workspace + keyOf(options));
  }

  /** Reads the lists of the other strategies. */
  async compare() {
    const missing = compared(this.options).filter((one) => !this.find(one));
    if (await this.act(() => Promise.all(missing.map((one) => this.readList(one))))) {
      announce("The strategies are compared.");
    }
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    event.preventDefault();
    this.app?.go(withQuery(formQuery(event.currentTarget, USUAL)), false);
  }

  render() {
    return html`<h1 tabindex="-1">Lists</h1>
      <p class="lead muted">Exactly what a model gets from you: the tools of your role in this workspace, in the shape
        of each provider. An action that you may not call is in no list.
        ${this.may("agents:manage") ? html`Which actions have a tool of their own is set in
          <a href=${pageAddress(this.workspace, "settings", "promotions")}>Promotions</a>.` : ""}</p>
      ${tabs("Lists", VIEWS, this.view, (view) => withQuery({ view }))}
      ${this.view === "prompt" ? this.prompt() : this.lists()}`;
  }

  prompt() {
    return this.loaded(({ prompt = "" }) => html`
      <p class="lead">For models that learn their tools from the system prompt: <code>GET /v1/tools/prompt</code>,
        about ${Math.round(prompt.length / 4)} tokens.
        <copy-text .value=${prompt} what="prompt"></copy-text></p>
      ${code("Prompt", prompt)}`);
  }

  lists() {
    const options = this.options;
    return html`${form(options, (event) => this.submit(event))}
      ${this.loaded(({ list }) => (list ? this.list(list, options) : ""))}`;
  }

  /** @param {ToolList} list @param {ListOptions} options */
  list(list, options) {
    if (this.view === "json") {
      const { bytes: _, ...answer } = list;
      return html`${summary(list)} ${snippet(curlCommand("/v1/tools", options, this.workspace), "command")}
        <div class="head"><h2>Answer</h2><copy-text .value=${JSON.stringify(answer)} what="answer"></copy-text></div>
        ${json("Answer", answer)}`;
    }
    const rows = compared(options).map((one) => ({ options: one, list: this.find(one) }));
    return html`${summary(list)}
      ${this.failure ? problem(this.failure) : ""}
      ${comparison(rows, options, this.busy, () => this.compare())}
      ${strictness(list)} ${leftOut(list, options)} ${tools(list)}`;
  }
}

customElements.define("lists-page", ListsPage);

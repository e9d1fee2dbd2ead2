// A project of the pack `game`: its graph, its plans with their phases, and its exports to download.
import { html } from "../vendor/lit.js";
import { readAction } from "../lib/actions.js";
import { ApiError, asApiError } from "../lib/api.js";
import { withQuery } from "../lib/address.js";
import { save } from "../lib/save.js";
import { name, plain, text, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { number, tabs } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { problem } from "../elements/parts.js";
import { names } from "./game-graph-parts.js";
import "./game-graph.js";

/**
 * @typedef {import("./game-graph-parts.js").System} System
 * @typedef {object} Plan
 * @property {string} id
 * @property {string} version_label
 * @property {string} title
 * @property {string | null} description
 * @property {"draft" | "finalized"} status
 * @property {string} created_at RFC 3339
 * @property {string | null} finalized_at RFC 3339
 * @typedef {object} PlanContent
 * @property {System[]} systems
 * @property {string[][]} phases slugs
 * @property {(System & { required_by: string[] })[]} missing
 * @typedef {object} Export
 * @property {string} id
 * @property {string} type
 * @property {"markdown" | "json"} format
 * @property {string} title
 * @property {number} bytes
 * @property {string} created_at RFC 3339
 * @typedef {object} Data
 * @property {import("./game.js").Project & { counts: { systems: number, plans: number, exports: number } }} project
 * @property {any} list a page of plans or of exports; null for the graph
 */

/** The tabs, as they are in the address. @type {[string, string][]} */
const TABS = [["", "Graph"], ["plans", "Plans"], ["exports", "Exports"]];
/** @type {Record<string, string>} */
const EXPORTS = { gdd: "Design document", version_prd: "Version", system_doc: "Systems", roadmap: "Roadmap",
  prompt_bundle: "Prompts" };
const FILES = { markdown: ["md", "text/markdown"], json: ["json", "application/json"] };

/** @extends {Page<Data>} */
class GameProjectPage extends Page {
  constructor() {
    super();
    /** The plans that were opened, by id, or why they can't be shown. @type {Record<string, PlanContent | ApiError>} */
    this.plans = {};
  }

  get tab() {
    return this.tabOf(TABS);
  }

  /** The graph reads what belongs to a chosen system itself, and stays in view meanwhile. */
  dataKey() {
    return JSON.stringify([this.pathPart("project"), this.tab, this.query.get("cursor")]);
  }

  /** @param {string} action @param {object} [body] */
  ask(action, body) {
    return readAction(this.call.bind(this), `game_${action}`, { project: this.pathPart("project"), ...body });
  }

  async read() {
    this.plans = {};
    const cursor = this.query.get("cursor");
    const action = this.tab === "plans" ? "list_version_plans" : "list_exports";
    const [project, list] = await Promise.all([
      this.ask("get_project"), this.tab ? this.ask(action, cursor ? { cursor } : {}) : null,
    ]);
    return { project, list };
  }

  /** @param {Plan} plan */
  async open({ id }) {
    if (!this.plans[id]) this.plans[id] = await this.ask("get_version_plan", { plan: id }).catch(asApiError);
    this.requestUpdate();
  }

  /** @param {Export} one */
  async download({ id, title, format }) {
    const [ending, type] = FILES[format];
    await this.act(async () => {
      const { content } = await this.ask("list_exports", { export: id });
      const file = plain(title).replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80);
      save(new Blob([content], { type }), `${file}.${ending}`);
    }, id, "The file is saved.");
  }

  render() {
    return html`${this.renderData(({ project, list }) => html`<h1 tabindex="-1">${name(project.name)}</h1>
      ${project.description ? html`<p class="lead muted">${text(project.description)}</p>` : ""}
      ${tabs("Project", TABS, this.tab, (tab) => tab ? `?tab=${tab}` : location.pathname)}
      ${list ? this.list(list) : html`<game-graph .page=${this} .project=${project}
        .search=${location.search}></game-graph>`}`)}
      ${this.data ? "" : html`<h1 tabindex="-1" class="unseen">Game project</h1>`}`;
  }

  /** @param {{ items: any[], next_cursor: string | null }} page */
  list({ items, next_cursor: next }) {
    const isPlans = this.tab === "plans";
    if (!items.length) {
      const action = isPlans ? "game_create_version_plan" : "game_generate_export";
      return html`<div class="empty"><p><strong>The project has no ${isPlans ? "plan" : "export"}.</strong></p>
        <p><code>${action}</code> makes one.</p></div>`;
    }
    return html`<ul class="rows">${items.map((one) => isPlans ? this.plan(one) : this.export(one))}</ul>
      ${next ? html`<p class="after"><a class="button" href=${withQuery({ cursor: next })}>More</a></p>` : ""}`;
  }

  /** @param {Plan} plan */
  plan(plan) {
    const content = this.plans[plan.id];
    const toggle = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
      currentTarget.open && this.open(plan);
    return html`<li><details class="audit" @toggle=${toggle}><summary><span class="grow"><strong><code>${
        plain(plan.version_label)}</code> ${name(plan.title)}</strong><span class="small muted">${plan.finalized_at
        ? `finalized ${formatTime(plan.finalized_at)}` : `made ${formatTime(plan.created_at)}`}</span></span>
        <span class="tag ${plan.status === "finalized" ? "executed" : ""}">${plain(plan.status)}</span></summary>
      ${plan.description ? html`<p>${text(plan.description)}</p>` : ""}
      ${content instanceof ApiError ? problem(content) : content ? this.phases(content) : ""}</details></li>`;
  }

  /** @param {PlanContent} content */
  phases({ systems, phases, missing }) {
    const bySlug = new Map(systems.map((system) => [system.slug, system]));
    return html`<ol class="phases">${phases.map((slugs, n) => html`<li><p class="small muted">Phase ${n + 1}</p>
        <ul>${slugs.map((slug) => html`<li>${name(bySlug.get(slug)?.name ?? slug)}</li>`)}</ul></li>`)}</ol>
      ${missing.length ? html`<p class="error">Missing: ${names(missing)}</p>` : ""}`;
  }

  /** @param {Export} one */
  export(one) {
    return html`<li><span class="grow"><strong>${name(one.title)}</strong><span class="small muted">${
        word(EXPORTS, one.type)}, ${one.format === "json" ? "JSON" : "Markdown"}, ${number(one.bytes)} bytes, ${
        formatTime(one.created_at)}</span></span>
      <button type="button" ?disabled=${this.busy} @click=${() => this.download(one)}>Download<span
        class="unseen"> ${plain(one.title)}</span></button> ${this.feedback(one.id)}</li>`;
  }
}

customElements.define("game-project-page", GameProjectPage);

// The graph of a project: systems in layers from left to right, and what a change of the chosen one affects.
import { LitElement, html, nothing, repeat } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { readAction } from "../lib/actions.js";
import { formQuery, withQuery } from "../lib/address.js";
import { name, plain } from "../lib/text.js";
import { choice, field, pluralize } from "../elements/blocks.js";
import { announce } from "../elements/console-parts.js";
import { problem } from "../elements/parts.js";
import { TYPES, impactCard, legend, relations, table } from "./game-graph-parts.js";
import { arrange, draw } from "./game-layers.js";

/**
 * @typedef {import("./game-layers.js").Graph} Graph
 * @typedef {import("./game-graph-parts.js").Impact} Impact
 */

/** A project of more systems is drawn around one of them. */
const MAX_DRAWN = 150;
/** Systems to choose from at a time. */
const MAX_FOUND = 50;
const DEPTHS = { "": "1 step", 2: "2 steps", 3: "3 steps", 4: "4 steps", 5: "5 steps" };
/** Keys that move the focus, by layers and within one. @type {Record<string, [number, number]>} */
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** Styles of lines; those between affected systems are drawn over the others. */
const STYLES = [...Object.keys(TYPES), "affected"];
/** @type {Graph} */
const EMPTY = { nodes: [], edges: [] };

class GameGraph extends LitElement {
  static properties = {
    page: {}, project: {}, search: {}, graph: { state: true }, impact: { state: true }, found: { state: true },
    error: { state: true }, paths: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../elements/page.js").Page<any> | undefined} */
    this.page = undefined;
    /** @type {{ id: string, counts: { systems: number } } | undefined} */
    this.project = undefined;
    this.search = this.graphKey = this.key = "";
    /** @type {Graph | null} */
    this.graph = null;
    /** @type {Impact | null} */
    this.impact = null;
    /** Systems to choose from, where the project is large. @type {{ slug: string, name: string }[] | null} */
    this.found = null;
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
    this.layers = arrange(EMPTY);
    /** Lines and arrowheads by style, as data of SVG paths. @type {Map<string, { line: string, head: string }>} */
    this.paths = new Map();
    this.observer = new ResizeObserver(() => this.drawLines());
  }

  createRenderRoot() {
    return this;
  }

  get isLarge() {
    return (this.project?.counts.systems ?? 0) > MAX_DRAWN;
  }

  willUpdate() {
    const query = new URLSearchParams(this.search);
    const chosen = { system: query.get("system"), depth: query.get("depth"), q: query.get("q") };
    const key = JSON.stringify([this.project?.id, chosen]);
    if (key !== this.key) this.load(this.key = key, chosen);
  }

  /**
   * Reads what the address asks for. What is in view stays until the answers are there.
   * @param {string} key @param {{ system: string | null, depth: string | null, q: string | null }} chosen
   */
  async load(key, { system, depth, q }) {
    const { page, project } = this;
    if (!page || !project) return;
    const read = (/** @type {string} */ action, /** @type {object} */ body) =>
      readAction(page.call.bind(page), `game_${action}`, { project: project.id, ...body });
    const part = this.isLarge ? { system, depth: Number(depth ?? 1) } : {};
    const graphKey = JSON.stringify([project.id, part]);
    try {
      const [graph, impact, found] = await Promise.all([
        this.isLarge && !system ? null : graphKey === this.graphKey ? this.graph : read("get_dependency_graph", part),
        system ? read("get_impact_analysis", { system }) : null,
        this.isLarge && !system ? read("list_game_systems", { limit: MAX_FOUND, ...(q ? { search: q } : {}) }) : null,
      ]);
      if (key !== this.key) return;
      if (graph !== this.graph) this.layers = arrange(graph?.nodes.length <= MAX_DRAWN ? graph : EMPTY);
      [this.graph, this.graphKey, this.impact, this.found, this.error] = [graph, graphKey, impact, found?.items, null];
      if (impact) announce(`${plain(impact.system.name)}: a change affects ${
        pluralize(impact.direct.length + impact.transitive.length, "system")}.`);
    } catch (caught) {
      if (key === this.key) this.error = asApiError(caught);
    }
  }

  updated() {
    const layers = this.querySelector(".layers");
    this.observer.disconnect();
    if (layers) this.observer.observe(layers);
    this.drawLines();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer.disconnect();
  }

  /** Draws the lines between the systems as they stand. */
  drawLines() {
    const items = /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".layers [data-key]"));
    const boxes = new Map([...items].map((item) => [item.dataset.key ?? "",
      { x: item.offsetLeft, y: item.offsetTop, width: item.offsetWidth, height: item.offsetHeight }]));
    const related = relations(this.impact);
    const isAffected = (/** @type {string} */ slug) => ["chosen", "affected"].includes(related.get(slug)?.kind ?? "");
    const lines = draw(this.layers.chains, boxes);
    /** @type {typeof this.paths} */
    const paths = new Map(STYLES.map((style) => [style, { line: "", head: "" }]));
    for (const [n, { line, head }] of lines.entries()) {
      const { source, target, type } = (this.graph ?? EMPTY).edges[n];
      const marked = type === "requires" && isAffected(source) && isAffected(target);
      const path = paths.get(marked ? "affected" : type);
      if (path) [path.line, path.head] = [path.line + line, path.head + head];
    }
    if (JSON.stringify([...paths]) !== JSON.stringify([...this.paths])) this.paths = paths;
  }

  /** Arrow keys go to the nearest system. @param {KeyboardEvent & { target: HTMLElement }} event */
  move(event) {
    const [aside, along] = MOVES[event.key] ?? [0, 0];
    const column = event.target.closest(".layer");
    if (!column || !(aside || along) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const columns = [...this.querySelectorAll(".layer")];
    const into = columns[columns.indexOf(column) + aside];
    const all = /** @type {HTMLElement[]} */ ([...into?.querySelectorAll("a") ?? []]);
    const distance = (/** @type {HTMLElement} */ one) => Math.abs(one.offsetTop - event.target.offsetTop);
    const next = along ? all[all.indexOf(event.target) + along] : all.sort((a, b) => distance(a) - distance(b))[0];
    next?.focus();
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    event.preventDefault();
    this.page?.app?.go(withQuery(formQuery(event.currentTarget)), false);
  }

  render() {
    const { graph, impact } = this;
    if (!graph && !this.found) return this.error ? problem(this.error) : html`<p class="muted">Loading…</p>`;
    const related = relations(impact);
    return html`${this.isLarge ? this.chooser() : ""} ${this.error ? problem(this.error) : ""}
      ${this.found ? this.choices(this.found) : ""} ${graph ? this.picture(graph, related) : ""}
      ${impact ? impactCard(impact) : ""} ${graph?.nodes.length ? table(graph, related) : ""}`;
  }

  /** Of a large project: which system, and how far from it. */
  chooser() {
    const query = new URLSearchParams(this.search);
    return html`<p class="lead">${pluralize(this.project?.counts.systems ?? 0, "system")} are too many for one picture.
        Choose the system to show with what is around it.</p>
      <form class="filters" autocomplete="off" @submit=${this.submit}>${query.get("system")
        ? html`${choice("depth", "Around it", DEPTHS, query.get("depth"))} <button type="submit">Show</button>
          <a href=${withQuery({ system: null, depth: null })}>Another system</a>`
        : html`${field("q", "Part of a name", query.get("q"))} <button type="submit">Find</button>`}</form>`;
  }

  /** @param {{ slug: string, name: string }[]} found */
  choices(found) {
    if (!found.length) return html`<div class="empty"><p><strong>No system has such a name.</strong></p></div>`;
    return html`<ul class="names">${found.map((one) =>
        html`<li><a href=${withQuery({ system: one.slug, q: null })}>${name(one.name)}</a></li>`)}</ul>
      ${found.length < MAX_FOUND ? "" : html`<p class="muted after">These are the newest ${MAX_FOUND}. Find others by a
        part of their name.</p>`}`;
  }

  /** @param {Graph} graph @param {import("./game-graph-parts.js").Relations} related */
  picture({ nodes }, related) {
    if (!nodes.length) {
      return html`<div class="empty"><p><strong>The project has no system.</strong></p><p>An editor, or an assistant of
        theirs, makes one with <code>game_create_game_system</code>.</p></div>`;
    }
    if (nodes.length > MAX_DRAWN) {
      return html`<p class="notice">${nodes.length} systems are within these steps, too many for a picture. Choose fewer
        steps, or open the table.</p>`;
    }
    const bySlug = new Map(nodes.map((node) => [node.slug, node]));
    const item = (/** @type {string} */ key) => {
      const node = bySlug.get(key);
      const { kind, words } = related.get(key) ?? { kind: "", words: "" };
      if (!node) return html`<span data-key=${key}></span>`;
      const [isChosen, target] = [kind === "chosen", kind === "chosen" && !this.isLarge ? null : key];
      return html`<a class="system ${kind}" data-key=${key} href=${withQuery({ system: target })}
        aria-current=${isChosen ? "true" : nothing}>${name(node.name)} <span class="small">${words}</span></a>`;
    };
    return html`${legend()}<div class="scroll graph ${related.size ? "has-chosen" : ""}"><div class="layers"
      @keydown=${this.move}>${STYLES.map((style) => html`<svg aria-hidden="true"><path
        class="line ${style}" d=${this.paths.get(style)?.line ?? ""}/><path class="head ${style}"
        d=${this.paths.get(style)?.head ?? ""}/></svg>`)}
      ${this.layers.columns.map(({ layer, keys }) => html`<div class="layer" role="group"
        aria-label="Layer ${layer + 1}">${repeat(keys, (key) => key, item)}</div>`)}</div></div>`;
  }
}

customElements.define("game-graph", GameGraph);

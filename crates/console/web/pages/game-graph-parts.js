// Parts of the graph of a project: what systems have to do with the chosen one, the lines' legend, and the table.
import { html } from "../vendor/lit.js";
import { name, plain, word } from "../lib/text.js";
import { fact, pluralize } from "../elements/blocks.js";

/**
 * @typedef {import("./game-layers.js").Graph} Graph
 * @typedef {{ slug: string, name: string }} System
 * @typedef {System & { distance: number }} Reached
 * @typedef {object} Impact
 * @property {System} system
 * @property {Reached[]} direct
 * @property {Reached[]} transitive
 * @property {(System & { type: string })[]} others
 * @property {Reached[]} requirements
 * @property {{ version_label: string, status: string }[]} plans
 * @typedef {Map<string, { kind: string, words: string }>} Relations by slug
 */

/** The types of dependencies: what the source says of its target. @type {Record<string, string>} */
export const TYPES = { requires: "requires", enhances: "is enhanced by", optional: "can use" };

/** What each system has to do with the chosen one. @param {Impact | null} impact @returns {Relations} */
export function relations(impact) {
  if (!impact) return new Map();
  const { system, direct, transitive, others, requirements } = impact;
  return new Map([
    ...others.map((one) => entry(one, "other", `${word(TYPES, one.type)} it`)),
    ...requirements.map((one) => entry(one, "required", "required by it")),
    ...[...direct, ...transitive].map((one) => entry(one, "affected", `affected, ${pluralize(one.distance, "step")}`)),
    entry(system, "chosen", "chosen"),
  ]);
}

/**
 * @param {System} system @param {string} kind @param {string} words
 * @returns {[string, { kind: string, words: string }]}
 */
const entry = ({ slug }, kind, words) => [slug, { kind, words }];

/** How the lines of each type look. */
export const legend = () => html`<p class="legend small">${Object.entries(TYPES).map(([type, words]) => html`<span><svg
  width="36" height="8" aria-hidden="true"><path class="line ${type}" d="M0 4 H36"/></svg> ${words}</span>`)}
  <span class="muted">An arrow leads to what comes first.</span></p>`;

/** Their names; nothing for none. @param {System[]} systems */
export const names = (systems) => systems.map((one, n) => html`${n ? ", " : ""}${name(one.name)}`);

/** @param {unknown[]} parts */
const orNone = (parts) => parts.length ? parts : html`<span class="muted">none</span>`;

/** What a change of a system affects. @param {Impact} impact */
export const impactCard = ({ system, direct, transitive, others, requirements, plans }) => html`<section class="card">
  <h2>A change of ${name(system.name)}</h2><dl class="facts">
  ${fact("Affects", orNone(names(direct)))} ${fact("Through these", orNone(names(transitive)))}
  ${others.length ? fact("Perhaps", html`${names(others)} <span class="muted">which it enhances or may
    serve</span>`) : ""}
  ${fact("It rests on", orNone(names(requirements)))}
  ${fact("Plans", orNone(plans.map((one, n) => html`${n ? ", " : ""}<code>${plain(one.version_label)}</code> ${
    plain(one.status)}`)))}</dl></section>`;

/** The same as a table. @param {Graph} graph @param {Relations} related */
export function table({ nodes, edges }, related) {
  const [titles, from] = [new Map(nodes.map((one) => [one.slug, one])), Map.groupBy(edges, (edge) => edge.source)];
  const ends = (/** @type {string} */ slug, /** @type {string} */ type) => (from.get(slug) ?? [])
    .flatMap((edge) => edge.type === type ? titles.get(edge.target) ?? [] : []);
  return html`<details class="more after"><summary>As a table</summary>
    <div class="scroll after" tabindex="0" role="region" aria-label="The graph as a table"><table>
      <thead><tr><th scope="col">System</th><th scope="col">Layer</th>
        ${Object.values(TYPES).map((words) => html`<th scope="col">${words}</th>`)}
        ${related.size ? html`<th scope="col">Chosen system</th>` : ""}</tr></thead>
      <tbody>${nodes.map(({ slug, name: title, layer }) => html`<tr><th scope="row">${name(title)}</th>
        <td>${layer + 1}</td> ${Object.keys(TYPES).map((type) => html`<td>${names(ends(slug, type))}</td>`)}
        ${related.size ? html`<td>${related.get(slug)?.words ?? ""}</td>` : ""}</tr>`)}</tbody></table>
    </div></details>`;
}

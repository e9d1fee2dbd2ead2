// The pack `media`: what was added and by whom, the downloads, and whether each service answers.
import { html } from "../vendor/lit.js";
import { readAction } from "../lib/actions.js";
import { formQuery, withQuery } from "../lib/address.js";
import { memberName } from "../lib/members.js";
import { name, plain, sentence, text, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { choice, number, pluralize, tabs } from "../elements/blocks.js";
import { Page } from "../elements/page.js";

/**
 * @typedef {{ title: string, year: number | null, type: string, user_name: string | null, agent_name: string | null,
 *   library: string | null, added_at: string }} Addition
 * @typedef {{ title: string, season: number | null, episode: number | null, episodes: number | null,
 *   progress: number | null, minutes_left: number | null, state: string, problem: string | null }} Download
 * @typedef {{ service: string, state: string, version: string | null, problem: string | null }} ServiceState
 * @typedef {object} Additions
 * @property {Addition[]} items
 * @property {string | null} next_cursor
 * @property {number} total
 * @property {number} last_7_days
 * @property {{ movie: number, series: number }} by_type
 * @typedef {{ movies: Download[], episodes: Download[], total: number, unread: number, errors: string[] }} Queue
 */

/** The tabs, as they are in the address. @type {[string, string][]} */
const TABS = [["", "Additions"], ["queue", "Queue"], ["status", "Status"]];
/** @type {Record<string, string>} */
const TYPES = { movie: "Film", series: "Series" };
/** @type {Record<string, string>} */
const SERVICES = { radarr: "Radarr", sonarr: "Sonarr", tmdb: "TMDB", brave: "Brave" };
const EMPTY_ADDITIONS = ["Nothing was added.", "A film or a series that a member or an assistant adds appears here."];
const EMPTY_QUEUE = ["Nothing is being downloaded.", "What Radarr and Sonarr download appears here."];

/** @extends {Page<any>} */
class MediaPage extends Page {
  get tab() {
    return this.tabOf(TABS);
  }

  /** Only admins see what others added. */
  get isAdmin() {
    return ["admin", "owner"].includes(this.app?.state.me?.role ?? "");
  }

  async read() {
    const ask = (/** @type {string} */ action, /** @type {object} */ body) =>
      readAction(this.call.bind(this), `media_${action}`, body);
    if (this.tab === "queue") return ask("get_download_queue", { limit: 100 });
    if (this.tab === "status") return ask("check_status", {});
    const usual = this.isAdmin ? { user: "all" } : {};
    const filters = [...this.query].filter(([key, value]) => ["user", "type", "cursor"].includes(key) && value);
    const [additions, members] = await Promise.all([
      ask("list_additions", { limit: 50, ...usual, ...Object.fromEntries(filters) }),
      this.isAdmin ? this.call("GET", "/v1/members?limit=100") : null,
    ]);
    return { additions, members: members?.items ?? [] };
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    this.app?.go(withQuery({ ...formQuery(event.currentTarget), cursor: null }), false);
  }

  render() {
    return html`<div class="head"><h1 tabindex="-1">Media</h1>
        <p class="actions"><button type="button" ?disabled=${!this.data && !this.error}
          @click=${() => this.load()}>Refresh</button></p></div>
      ${tabs("Media", TABS, this.tab, (tab) => tab ? `?tab=${tab}` : location.pathname)}
      ${this.renderData((data) => this.show(data))}
      <p class="small muted after">This product uses the TMDB API but is not endorsed or certified by TMDB.</p>`;
  }

  /** @param {any} data of the tab */
  show(data) {
    if (this.tab === "queue") return this.queue(data);
    return this.tab ? this.status(data.items) : this.additions(data.additions, data.members);
  }

  /** @param {Additions} page @param {import("../lib/members.js").Member[]} members */
  additions({ items, next_cursor: next, total, last_7_days: recent, by_type: types }, members) {
    const people = Object.fromEntries(members.map((one) => [one.user_id, plain(memberName(one))]));
    return html`<form class="filters" autocomplete="off" @change=${this.submit}>
        ${this.isAdmin ? choice("user", "Person", { "": "Everybody", ...people },
          this.query.get("user")) : ""}
        ${choice("type", "Type", { "": "Films and series", ...TYPES }, this.query.get("type"))}</form>
      <p class="figures" role="status"><span><strong>${pluralize(total, "addition")}</strong></span>
        <span><strong>${number(recent)}</strong> in the last 7 days</span>
        <span><strong>${number(types.movie)}</strong> films</span>
        <span><strong>${number(types.series)}</strong> series</span></p>
      ${items.length ? grid("Additions", ["Title", "Type", "Added by", "Library", "Time"], items.map((one) => [
        titleOf(one), word(TYPES, one.type),
        html`${name(one.user_name ?? "–")}${one.agent_name ? html`, by agent ${name(one.agent_name)}` : ""}`,
        name(one.library ?? ""), formatTime(one.added_at)])) : empty(EMPTY_ADDITIONS)}
      ${next ? html`<p class="after"><a class="button" href=${withQuery({ cursor: next })}>Older</a></p>` : ""}`;
  }

  /** @param {Queue} queue */
  queue({ movies, episodes, total, unread, errors }) {
    const all = [...movies, ...episodes];
    const more = total + unread - all.length;
    const progress = (/** @type {number | null} */ value) => value === null ? "" : html`<progress max="100"
      .value=${value} aria-label="Progress"></progress> ${value} %`;
    return html`${errors.map((error) => html`<p class="notice wrong">${text(error)}</p>`)}
      ${all.length ? grid("Downloads", ["Title", "Progress", "Time left", "State"], all.map((one) => [
        html`${titleOf(one)} <span class="muted">${partOf(one)}</span>`,
        progress(one.progress), one.minutes_left === null ? "" : `${number(one.minutes_left)} min`,
        html`${plain(one.state)}${one.problem ? html` <span class="error">${text(one.problem)}</span>` : ""}`]))
        : errors.length ? "" : empty(EMPTY_QUEUE)}
      ${more ? html`<p class="after">And ${number(more)} more.</p>` : ""}`;
  }

  /** @param {ServiceState[]} services */
  status(services) {
    return html`<ul class="rows">${services.map(({ service, state, version, problem }) => html`<li><span class="grow">
      <strong>${plain(word(SERVICES, service))} ${plain(version)}</strong>
      ${problem ? html`<span class="small muted">${text(state === "not_set"
        ? `An admin adds the upstream \`${service}\`.` : sentence(problem))}</span>` : ""}</span>
      <span class="tag ${state === "connected" ? "executed" : state.startsWith("not_") ? "" : "failed"}">${
        plain(state).replaceAll("_", " ")}</span></li>`)}</ul>`;
  }
}

/** @param {{ title: string, year?: number | null }} one */
const titleOf = ({ title, year }) => html`${name(title)}${year ? ` (${year})` : ""}`;

/** What of a series it is. @param {Download} one */
function partOf({ season, episode, episodes }) {
  if (season === null) return "";
  return `season ${season}${episode === null ? `, ${pluralize(episodes ?? 0, "episode")}` : `, episode ${episode}`}`;
}

/** @param {string[]} texts */
const empty = ([said, filledBy]) => html`<div class="empty"><p><strong>${said}</strong></p><p>${filledBy}</p></div>`;

/**
 * A table whose first column names each row.
 * @param {string} label @param {string[]} titles @param {unknown[][]} rows
 */
const grid = (label, titles, rows) => html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table>
  <thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
  <tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map((cell) =>
    html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;

customElements.define("media-page", MediaPage);

// The projects of the pack `game`.
import { html } from "../vendor/lit.js";
import { readAction } from "../lib/actions.js";
import { formQuery, withQuery } from "../lib/address.js";
import { name, text } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { choice } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { pageAddress } from "../routes.js";

/**
 * @typedef {object} Project
 * @property {string} id
 * @property {string} name
 * @property {string | null} description
 * @property {string | null} genre
 * @property {string | null} platform
 * @property {string} status
 * @property {string} updated_at RFC 3339
 */

/** @type {Record<string, string>} */
const STATUS = { "": "Every status", ideation: "Ideation", pre_production: "Pre-production", production: "Production",
  live: "Live", archived: "Archived" };

/** @extends {Page<{ items: Project[], next_cursor: string | null }>} */
class GamePage extends Page {
  read() {
    const [status, cursor] = [this.query.get("status"), this.query.get("cursor")];
    const body = { limit: 50, ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) };
    return readAction(this.call.bind(this), "game_list_projects", body);
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    this.app?.go(withQuery({ ...formQuery(event.currentTarget), cursor: null }), false);
  }

  render() {
    return html`<h1 tabindex="-1">Game</h1>
      <p class="lead muted">Projects of the pack <code>game</code>: systems and what each requires, plans, exports.</p>
      <form class="filters" autocomplete="off" @change=${this.submit}>
        ${choice("status", "Status", STATUS, this.query.get("status"))}</form>
      ${this.renderData((page) => this.list(page))}`;
  }

  /** @param {{ items: Project[], next_cursor: string | null }} page */
  list({ items, next_cursor: next }) {
    if (!items.length) {
      return html`<div class="empty"><p><strong>${this.query.get("status") ? "No project has this status."
        : "There is no project."}</strong></p><p>An editor, or an assistant of theirs, makes one with <a
        href=${pageAddress(this.workspace, "actions", "game_create_project")}><code>game_create_project</code></a>.</p>
      </div>`;
    }
    return html`<ul class="rows links">${items.map((one) => this.row(one))}</ul>
      ${next ? html`<p class="after"><a class="button" href=${withQuery({ cursor: next })}>More</a></p>` : ""}`;
  }

  /** @param {Project} one */
  row(one) {
    const kinds = [one.genre, one.platform].filter(Boolean).map((value) => html`${name(value)}, `);
    return html`<li class="row bare">
      <div class="what"><a href=${pageAddress(this.workspace, "game", one.id)}>${name(one.name)}</a>
        ${one.description ? html`<p>${text(one.description)}</p>` : ""}
        <p class="small muted">${kinds}changed ${formatTime(one.updated_at)}</p></div>
      <div class="state"><span class="tag">${name(STATUS[one.status] ?? one.status)}</span></div></li>`;
  }
}

customElements.define("game-page", GamePage);

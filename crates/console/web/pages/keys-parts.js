// The row of a key, which opens with what limits it.
import { html } from "../vendor/lit.js";
import { scopeInWords } from "../lib/members.js";
import { ROLE } from "../lib/session.js";
import { name, plain, shortId, text, word } from "../lib/text.js";
import { now, formatTime } from "../lib/time.js";
import { fact } from "../elements/blocks.js";

/**
 * @typedef {import("../lib/members.js").Key} Key
 * @typedef {object} Context of the list
 * @property {string} revoking id of the key that is about to be revoked
 * @property {boolean} busy
 * @property {import("../lib/members.js").Scope[]} scopes with their words
 * @property {(id: string) => unknown} feedback
 * @property {(id: string) => void} revoke
 * @property {(id: string, newSecret: boolean) => void} adopt
 */

/** @param {Key} one @param {Context} list */
export function keyRow(one, list) {
  const state = one.revoked_at ? "revoked" : isOver(one) ? "expired" : null;
  return html`<li><details class="audit"><summary><span class="grow"><strong>${name(one.name)}</strong>
      <span class="small muted">${one.kind === "agent" ? "Agent's key" : "Service key"} · ${lastUse(one)}</span></span>
      <span class="state">${state ? html`<span class="tag failed">${state}</span>`
        : html`<span class="tag">${one.role_now ? word(ROLE, one.role_now) : "no role now"}</span>`}
        ${!state && one.limited_by.length ? html`<span class="tag failed">limited</span>` : ""}</span></summary>
    ${facts(one, list.scopes)}
    ${list.feedback(one.id)}
    ${state ? "" : html`<div class="actions">
      <button type="button" ?disabled=${list.busy} @click=${() => list.adopt(one.id, false)}>Adopt</button>
      <button type="button" ?disabled=${list.busy} @click=${() => list.adopt(one.id, true)}>Adopt with a new
        secret</button>
      <button type="button" class="danger" ?disabled=${list.busy} @click=${() => list.revoke(one.id)}>${
        list.revoking === one.id ? "Revoke for good" : "Revoke…"}</button></div>
      <p class="small muted">Who adopts a key limits it from now on, in place of those who made it.</p>`}
  </details></li>`;
}

/** A name, or an id that has none. @param {string | null} id @param {string | null} called */
const named = (id, called) => (called ? name(called) : shortId(id ?? ""));

/** @param {Key} one */
const isOver = (one) => Boolean(one.expires_at && Date.parse(one.expires_at) <= now());

/** @param {Key} one */
const lastUse = (one) => (one.last_used_at ? html`last used ${formatTime(one.last_used_at)}` : "never used");

/** @param {Key} one @param {import("../lib/members.js").Scope[]} scopes */
function facts(one, scopes) {
  const time = (/** @type {string} */ at) => html`<time datetime=${at}>${formatTime(at)}</time>`;
  return html`<dl class="facts">
    ${fact("Id", html`<code>${plain(one.id)}</code>`)}
    ${one.agent_id ? fact("Agent", html`${named(one.agent_id, one.agent_name)}, runs as ${
      named(one.runs_as, one.runs_as_name)}`) : ""}
    ${one.mission ? fact("Mission", shortId(one.mission)) : ""}
    ${one.role ? fact("Role", html`${word(ROLE, one.role)} for calls that act for no member`) : ""}
    ${fact("Role now", one.role_now ? word(ROLE, one.role_now) : "None: nobody who made it has a role here")}
    ${fact("May", one.scopes.map((scope) => html`<div>${name(scopeInWords(scopes, scope))} <code
      class="small muted">${plain(scope)}</code></div>`))}
    ${one.limited_by.length ? fact("Without effect", one.limited_by.map((why) => html`<div>${text(why)}</div>`)) : ""}
    ${fact("Caller types", one.caller_types.map((type) => html`<code>${plain(type)}</code> `))}
    ${fact("Limited by", one.minters.length
      ? one.minters.map((id, n) => html`<div>${named(id, one.minter_names[n])}</div>`)
      : "Nobody: it was made on the command line")}
    ${one.parent ? fact("Made with the key", named(one.parent, one.parent_name)) : ""}
    ${fact("Made", html`${time(one.created_at)}${one.created_by
      ? html` by ${named(one.created_by, one.created_by_name)}` : ""}`)}
    ${one.expires_at ? fact("Expires", time(one.expires_at)) : ""}
    ${one.old_until ? fact("Old secret until", time(one.old_until)) : ""}
    ${one.revoked_at ? fact("Revoked", time(one.revoked_at)) : ""}</dl>`;
}

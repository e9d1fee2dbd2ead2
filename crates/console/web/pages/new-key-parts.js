// The fields of the form that makes a key, and what they start with.
import { html } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { scopeInWords, byResource } from "../lib/members.js";
import { ROLE } from "../lib/session.js";
import { plain, text } from "../lib/text.js";
import { choice, field, tabs } from "../elements/blocks.js";

/** @typedef {import("../lib/members.js").Scope} Scope */

/**
 * @typedef {object} Preset
 * @property {string} title
 * @property {string} note
 * @property {string} kind @property {string} name @property {string[]} scopes @property {string} callers
 */

/** What a form starts with, by the word in the address. @type {Record<string, Preset>} */
export const PRESETS = {
  "": {
    title: "Service", note: "A program of your own.", kind: "service", name: "", scopes: ["*:read"], callers: "api",
  },
  chatbot: {
    title: "Chatbot backend", kind: "service", name: "Chatbot backend", callers: "chat",
    scopes: ["*:read", "*:use", "act_as"],
    note: "Lists tools and makes the model's calls for the user it names. Keep it where the model runs.",
  },
  relay: {
    title: "Chatbot's relaying key", kind: "service", name: "Relay of decisions", callers: "chat",
    scopes: ["approvals:relay"],
    note: "Passes on what a user decided. Keep it where the user is authenticated, not where the model runs.",
  },
  agent: {
    title: "Agent", note: "One agent, with at most the role of the member it runs as.", kind: "agent", name: "Agent",
    scopes: ["*:read", "tasks:use", "memory:use", "reports:use"], callers: "mission",
  },
};

/** @param {string} chosen @param {Scope[]} scopes */
export function presets(chosen, scopes) {
  const refused = scopes.find((one) => !one.allowed && (PRESETS[chosen] ?? PRESETS[""]).scopes.includes(one.scope));
  const kinds = Object.entries(PRESETS).map(([word, { title }]) => /** @type {[string, string]} */ ([word, title]));
  return html`${tabs("Kinds of keys", kinds, chosen, (preset) => withQuery({ preset }))}
    ${refused ? html`<div class="notice wrong"><p><strong>An owner has to make this key.</strong></p>
      <p class="sentence">${text(refused.reason ?? "")}</p></div>` : ""}`;
}

/** @param {Preset} preset @param {Scope[]} scopes @param {string[]} permissions of the caller */
export function fields(preset, scopes, permissions) {
  const roles = ["viewer", "member", "editor"].map((one) => [one, ROLE[one]]);
  const allowed = new Set(scopes.filter((one) => one.allowed).map((one) => one.scope));
  const special = scopes.filter((one) => one.special).map((one) => one.scope);
  const broad = ["*:read", "*:use", ...special].filter((one) => allowed.has(one));
  const box = (/** @type {string} */ scope) => checkbox(scope, scopeInWords(scopes, scope), preset);
  const single = permissions.filter((one) => allowed.has(one));
  return html`<p>${preset.note}</p><input type="hidden" name="kind" value=${preset.kind}>
    <div class="filters">${field("name", "Name", preset.name)}
      ${preset.kind === "agent" ? html`${field("agent", "Agent (id or exact name)", null)}
        ${field("runs_as", "Runs as member (id or subject)", null, "You")}`
        : choice("role", "Role for calls that act for no member", Object.fromEntries(roles), "viewer")}
      ${field("caller_types", "Caller types", preset.callers)}
      <label>Expires <input type="datetime-local" name="expires_at"></label></div>
    <fieldset class="scopes"><legend>What it may do</legend>
      ${broad.map(box)}
      <details ?open=${preset.scopes.some((scope) => single.includes(scope))}><summary>Single permissions</summary>
        ${byResource(single).map((group) => html`<div
          class="choice">${group.map(box)}</div>`)}
      </details>
      ${field("more_scopes", "More scopes, such as tools:read", null)}</fieldset>`;
}

/** @param {string} scope @param {string} words @param {Preset} preset */
const checkbox = (scope, words, preset) => html`<label class="check"><input type="checkbox" name="scopes" value=${scope}
  .checked=${preset.scopes.includes(scope)}> ${plain(words)} <code
  class="small muted">${plain(scope)}</code></label>`;

/** The body of the call. @param {FormData} form */
export function bodyOf(form) {
  const text = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
  const words = (/** @type {string} */ name) => text(name).split(/[\s,]+/).filter(Boolean);
  const expires = text("expires_at");
  const given = ["kind", "name", "agent", "runs_as", "role"].map((name) => [name, text(name)]);
  return {
    ...Object.fromEntries(given.filter(([, value]) => value)),
    scopes: [...form.getAll("scopes").map(String), ...words("more_scopes")],
    ...(words("caller_types").length ? { caller_types: words("caller_types") } : {}),
    ...(expires ? { expires_at: new Date(expires).toISOString() } : {}),
  };
}

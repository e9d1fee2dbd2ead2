// The fields of the settings page.
import { html } from "../vendor/lit.js";
import { fact, figure, tabs } from "../elements/blocks.js";
import { pageAddress } from "../routes.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/settings"]["get"]["responses"][200]["content"]} Content
 * @typedef {Content["application/json"]} Settings
 */

/** @param {string} workspace @param {string} chosen */
export const settingsTabs = (workspace, chosen) => tabs("Settings", [["", "Settings"], ["promotions", "Promotions"],
  ["packs", "Packs"], ["webhooks", "Webhooks"]],
  chosen, (tab) => pageAddress(workspace, "settings", ...(tab ? [tab] : [])));

/** @type {[Settings["approval_mode"], string, string][]} */
const MODES = [
  ["standard", "Standard", "Destructive actions, and writes that say so, wait for a person."],
  ["confirm_writes", "Confirm writes", "Every write waits for a person."],
  ["read_only", "Read only", "Writes are refused."],
];

/** @param {Settings} now */
export function fields(now) {
  return html`
    <fieldset class="card"><legend>Approval mode</legend>
      ${MODES.map(([mode, label, about]) => html`<label class="check"><input type="radio" name="approval_mode"
        value=${mode} .checked=${now.approval_mode === mode}>
        <span><strong>${label}</strong> <span class="muted">${about}</span></span></label>`)}
      ${note("Admins and owners. Only an owner can choose a weaker mode.")}</fieldset>
    <fieldset class="card"><legend>Approvals</legend>
      ${box("four_eyes", now.four_eyes, "Four eyes", "Somebody else than the requester has to approve.")}
      ${note("Admins and owners. Only an owner can switch it off.")}
      <label>Address of the page on which people decide
        <input name="approve_url_template" spellcheck="false" placeholder="The page of this service"
          .value=${now.approve_url_template ?? ""}></label>
      ${note("Admins and owners, on a host that the operator allows. {id} stands for the confirmation.")}</fieldset>
    <fieldset class="card"><legend>Agents</legend>
      ${box("agents_inherit_admin", now.agents_inherit_admin, "Agents of admins are admins",
        "Otherwise an agent has at most the role Editor, whoever it runs as.")}
      ${note("Admins and owners. Only an owner can switch it on.")}
      <label>Default model <input name="default_model" spellcheck="false" .value=${now.default_model ?? ""}></label>
      ${note("Admins and owners. New agents have it, if they name none.")}</fieldset>
    <fieldset class="card"><legend>Work without a person</legend>
      ${box("runner", now.runner === "internal", "The assistant carries it out",
        "Heartbeats, scheduled tasks, playbooks and missions, as whoever set them up. Otherwise programs do.")}
      ${note("Admins and owners. A person then confirms each call that sets up such work.")}</fieldset>`;
}

/** @param {string} sentence */
const note = (sentence) => html`<p class="small muted">${sentence}</p>`;

/** @param {string} field @param {boolean} on @param {string} label @param {string} about */
const box = (field, on, label, about) => html`<label class="check"><input type="checkbox" name=${field} .checked=${on}>
  <span><strong>${label}</strong> <span class="muted">${about}</span></span></label>`;

/** What only the operator changes. @param {Settings} now */
export function limits({ limits: limit, open_confirmations: open }) {
  const row = (/** @type {string} */ term, /** @type {number} */ value, unit = "a minute") =>
    fact(term, figure(value, unit));
  return html`<section class="card" aria-labelledby="limits"><h2 id="limits">Limits</h2><dl class="facts">
    ${row("Writes", limit.write_per_minute)} ${row("Reads", limit.read_per_minute)}
    ${row("Calls of connectors", limit.external_per_minute)} ${row("Tools that callers run", limit.client_per_minute)}
    ${row("Share of one person", limit.write_share_percent, "% of the writes, while others are active")}
    ${row("Open confirmations", open.per_workspace, "in the workspace")}
    ${row("Open confirmations", open.per_caller, "of one caller")}</dl>
    ${note("Only a system admin changes limits.")}</section>`;
}

/** The settings in a form that differ from those that were read. @param {Settings} now @param {FormData} form */
export function changesOf(now, form) {
  const template = String(form.get("approve_url_template") ?? "").trim() || null;
  const model = String(form.get("default_model") ?? "").trim();
  const wanted = {
    approval_mode: form.get("approval_mode"), four_eyes: form.has("four_eyes"),
    agents_inherit_admin: form.has("agents_inherit_admin"), approve_url_template: template,
    runner: form.has("runner") ? "internal" : "external", ...(model ? { default_model: model } : {}),
  };
  const before = /** @type {Record<string, unknown>} */ (now);
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => value !== before[key]));
}

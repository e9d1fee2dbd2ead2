// Parts of the page about one member.
import { html } from "../vendor/lit.js";
import { ROLES, ROLE_NOTE } from "../lib/members.js";
import { ROLE } from "../lib/session.js";
import { name, plain, text, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { choice, pluralize, sign } from "../elements/blocks.js";

/**
 * @typedef {import("../lib/members.js").MemberWithDelegates} MemberWithDelegates
 * @typedef {import("../lib/members.js").MemberChange} MemberChange
 * @typedef {import("../lib/actions.js").Matrix} Matrix
 * @typedef {NonNullable<MemberWithDelegates["delegates"]>} Delegates
 */

/** In place of what the caller may not see. @type {Delegates} */
const NONE = { minted_keys: [], agent_keys: [], more_keys: 0, goes_on: [] };

/** @param {MemberWithDelegates} one */
export const facts = (one) => html`<dl class="facts card">
  <dt>Role</dt><dd>${word(ROLE, one.role)}: ${ROLE_NOTE[one.role] ?? ""}</dd>
  <dt>Membership</dt><dd>${one.active ? "On" : "Switched off: no permissions here"}</dd>
  <dt>Issuer</dt><dd>${name(one.issuer)}</dd><dt>Subject</dt><dd>${name(one.subject)}</dd>
  <dt>User id</dt><dd><code>${plain(one.user_id)}</code></dd>
  <dt>Member since</dt><dd><time datetime=${one.created_at}>${formatTime(one.created_at)}</time></dd>
  ${one.delegates ? html`<dt>Keys made</dt><dd>${keys(one.delegates.minted_keys)}</dd>
    <dt>Agents' keys</dt><dd>${keys(one.delegates.agent_keys)}</dd>` : ""}</dl>`;

/** @param {Delegates["minted_keys"]} all */
const keys = (all) => (all.length ? all.map((one) => html`<div>${name(one.name)}
  <span class="small muted">${plain(one.kind)}${one.adoptable ? ", you may adopt it" : ""}</span></div>`) : "None");

/**
 * The choice of a change. It is only shown then, and made by the form below.
 * @param {MemberWithDelegates} member @param {string} chosen @param {(change: string) => void} choose
 */
export function changeForm(member, chosen, choose) {
  const roles = ROLES.filter((role) => role !== member.role).map((role) => [role, `Role: ${ROLE[role]}`]);
  const onOff = member.active ? [["off", "Switch the membership off"]] : [["on", "Switch the membership on"]];
  const words = Object.fromEntries([["", "Choose…"], ...roles, ...onOff, ["remove", "Remove the member"]]);
  const submit = (/** @type {import("../elements/blocks.js").FormEvent} */ event) => {
    event.preventDefault();
    choose(String(new FormData(event.currentTarget).get("change") ?? ""));
  };
  return html`<section class="group"><h2>Change</h2><form class="filters" @submit=${submit}>
    ${choice("change", "What", words, chosen)}<button type="submit">Preview</button></form></section>`;
}

/**
 * @typedef {object} Change
 * @property {MemberWithDelegates} member
 * @property {Matrix | null} matrix null where the caller may not read it
 * @property {string} change
 * @property {boolean} busy
 * @property {(event: import("../elements/blocks.js").FormEvent) => void} apply
 * @property {string} back address without the change
 */

/** What a change takes away and gives, and the button that makes it. @param {Change} given */
export function consequences({ member, matrix, change, busy, apply, back }) {
  const delegates = member.delegates ?? NONE;
  const adoptable = delegates.minted_keys.filter((one) => one.adoptable);
  const isLoss = change !== "on" && ROLES.indexOf(change) < ROLES.indexOf(member.role);
  const dependent = [...delegates.minted_keys, ...delegates.agent_keys];
  return html`<section class="card" aria-labelledby="change"><h2 id="change">${title(change)}</h2>
    ${matrix ? difference(matrix, member, change) : ""}
    ${isLoss && dependent.length ? html`<p>Keys that depend on this person lose permissions too
        (${dependent.length + delegates.more_keys}): ${listed(dependent.map((one) => name(one.name)))}.</p>` : ""}
    ${isLoss && delegates.goes_on.length && ROLES.indexOf(change) < 0 ? html`<p>These go on without the person:
        ${listed(delegates.goes_on.map((one) => html`${plain(one.kind)} ${name(one.name)}`))}.</p>`
      : ""}
    <form class="plain" @submit=${apply}>
      ${isLoss && adoptable.length ? html`<label class="check"><input type="checkbox" name="adopt"> Adopt
        ${pluralize(adoptable.length, "key")} in the same step: your permissions limit them from now on</label>` : ""}
      <div class="actions"><button type="submit" class=${change === "remove" ? "danger" : ""}
        ?disabled=${busy}>${button(change)}</button><a class="button" href=${back}>Leave as it is</a></div>
    </form></section>`;
}

/** @param {unknown[]} all */
const listed = (all) => all.map((one, n) => html`${n ? ", " : ""}${one}`);

/** @param {string} change */
const title = (change) => (change === "remove" ? "Remove the member" : change === "off" ? "Switch the membership off"
  : change === "on" ? "Switch the membership on" : `Give the role ${word(ROLE, change)}`);

/** @param {string} change */
const button = (change) => (change === "remove" ? "Remove" : change === "off" ? "Switch off"
  : change === "on" ? "Switch on" : `Make ${word(ROLE, change)}`);

/**
 * The actions that a change takes away and gives.
 * @param {Matrix} matrix @param {MemberWithDelegates} member @param {string} change
 */
function difference({ items }, member, change) {
  const may = (/** @type {Matrix["items"][number]} */ one, /** @type {string} */ role) =>
    Boolean(/** @type {Record<string, boolean>} */ (one.roles)[role]);
  const before = member.active ? member.role : "";
  const after = change === "on" ? member.role : member.active ? change : "";
  const lost = items.filter((one) => may(one, before) && !may(one, after));
  const gained = items.filter((one) => !may(one, before) && may(one, after));
  return html`${list(lost, "No longer")} ${list(gained, "From now on")}
    ${lost.length + gained.length ? "" : html`<p>The same actions stay allowed.</p>`}`;
}

/** @param {Matrix["items"]} actions @param {string} label */
const list = (actions, label) => (actions.length ? html`<details ?open=${actions.length <= 8}><summary>${label}:
    ${pluralize(actions.length, "action")}</summary><ul class="names">${actions.map((one) => html`<li>
    ${sign(one.permission_level)} <code>${plain(one.action)}</code></li>`)}</ul></details>` : "");

/** What a change took from keys. @param {Pick<MemberChange, "weakened" | "more_weakened">} change */
export const weakened = ({ weakened: all = [], more_weakened: more = 0 }) => html`<div class="notice" role="status">
  <p><strong>It is changed.</strong> ${all.length ? `${pluralize(all.length + more, "key")} have fewer permissions now:`
    : "No key has fewer permissions."}</p>
  ${all.map((one) => html`<p>${name(one.name)}: ${one.limited_by.map((why) => text(why))}</p>`)}</div>`;

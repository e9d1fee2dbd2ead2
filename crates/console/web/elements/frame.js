// The frame around every page: the bar with the workspace and the person, the navigation, and what stands in place of a
// page that can not be shown.
import { html, nothing } from "../vendor/lit.js";
import { NAVIGATION, ROUTES, home, pageAddress } from "../routes.js";
import { ROLE, signOut } from "../lib/session.js";
import { name, plain, word } from "../lib/text.js";
import { problem } from "./parts.js";

/**
 * @typedef {import("../app.js").ConsoleApp} App
 * @typedef {import("../lib/api.js").ApiError} ApiError
 */

/** @param {App} app */
export function bar(app) {
  return html`<header class="bar">
    ${app.state.workspace ? html`<button type="button" class="opener fold" popovertarget="side" aria-label="Pages"><span
      aria-hidden="true">☰</span></button>` : ""}
    <a class="mark" href="/console/">Toolcrib</a>
    ${app.state.me ? workspaces(app) : ""}
    <span class="space"></span>
    ${app.state.workspace && app.state.forMe.length ? badge(app) : ""}
    ${app.state.workspace && app.state.may("notifications:read") ? bell(app) : ""}
    ${app.state.session?.user ? person(app) : ""}
  </header>`;
}

/** @param {App} app */
function badge(app) {
  const count = app.state.forMe.length;
  return html`<a class="badge" href=${home(app.state.workspace ?? "")} aria-label="${count} waiting for you">
    <span aria-hidden="true">◔ ${count}</span></a>`;
}

/** @param {App} app */
function bell(app) {
  const count = app.state.me?.unread_notifications ?? 0;
  return html`<a class="button bell" href=${pageAddress(app.state.workspace ?? "", "notifications")}
    aria-label="Notifications, ${count} unread"><svg viewBox="0 0 16 16" aria-hidden="true"><path
      d="M8 2a4 4 0 0 0-4 4v3l-1.5 2.5h11L12 9V6a4 4 0 0 0-4-4Zm-1.5 10.5a1.5 1.5 0 0 0 3 0"/></svg>${
    count ? html`<span class="count" aria-hidden="true">${count}</span>` : ""}</a>`;
}

/**
 * A button and what it opens. The browser closes it on Escape and on a click elsewhere.
 * @param {string} id @param {string} label what it is @param {unknown} shown on the button @param {unknown} content
 */
const menu = (id, label, shown, content) => html`
  <button type="button" class="opener" popovertarget=${id} aria-label=${label} id="${id}-opener">
    <span class="clip">${shown}</span><span aria-hidden="true">▾</span></button>
  <div popover id=${id} class="menu" role="group" aria-label=${label} @click=${closeAfterLink}>${content}</div>`;

/** @param {Event & { currentTarget: HTMLElement }} event */
function closeAfterLink(event) {
  if (event.target instanceof Element && event.target.closest("a")) event.currentTarget.hidePopover();
}

/** @param {App} app */
function workspaces(app) {
  const all = app.state.me?.workspaces ?? [];
  const here = all.find((one) => one.id === app.state.workspace);
  const shown = here?.name ?? app.state.me?.workspace?.name ?? "No workspace";
  const row = (/** @type {typeof all[0]} */ one) => html`<li><a href=${home(one.id)}
    aria-current=${one.id === app.state.workspace ? "true" : nothing}>
    <span class="clip">${name(one.name)}</span> <span class="small muted">${word(ROLE, one.role)}</span></a></li>`;
  const list = all.length ? html`<ul>${all.map(row)}</ul>` : html`<p class="muted">You are a member of none.</p>`;
  return menu("workspaces", `Workspace: ${plain(shown)}`, name(shown), list);
}

/** @param {App} app */
function person(app) {
  const user = app.state.session?.user;
  const shown = user?.name ?? app.state.me?.user?.display_name ?? user?.subject ?? "";
  return menu("person", `Signed in as ${plain(shown)}`, name(shown), html`<ul>
    <li><a href="/console/account">Account</a></li>
    <li><a href="/docs">API reference</a></li>
    ${app.state.session?.system_admin ? html`<li><a href="/console/system">System</a></li>` : ""}
    <li><button type="button" @click=${() => app.attempt(() => signOut(false))}>Sign out</button></li>
  </ul>`);
}

/** @param {App} app */
export function navigation(app) {
  const groups = NAVIGATION.map((group) => links(app, group)).filter((one) => one !== nothing);
  if (!app.state.workspace || !groups.length) return nothing;
  return html`<nav aria-label="Console" class="side" id="side" popover @click=${closeAfterLink}>${groups}</nav>`;
}

/** @param {App} app @param {{ title: string, pages: string[] }} group */
function links(app, group) {
  const pages = ROUTES.filter(({ name, permission, pack }) =>
    group.pages.includes(name) && (!permission || app.state.may(permission)) && (!pack || app.state.has(pack)));
  if (!pages.length) return nothing;
  const row = (/** @type {typeof pages[0]} */ { name, title }) => html`<li><a
    href=${pageAddress(app.state.workspace ?? "", name)} aria-current=${current(app, name)}>${
    name === "inbox" && app.state.onlyAsks ? "My calls" : title}
    ${name === "inbox" && app.state.forMe.length ? html`<span class="count">${app.state.forMe.length}<span
      class="unseen"> waiting for you</span></span>` : ""}</a></li>`;
  return html`${group.title ? html`<h2>${group.title}</h2>` : ""}<ul>${pages.map(row)}</ul>`;
}

/** Of the link to a page: that it is in view, or a page below it. @param {App} app @param {string} page */
function current(app, page) {
  if (app.route?.name === page) return "page";
  return app.route?.parent === page ? "true" : nothing;
}

/**
 * A page that is only a heading and what follows it.
 * @param {string} title
 * @param {unknown} content
 */
const page = (title, content) => html`<h1 tabindex="-1">${title}</h1><div class="prose">${content}</div>`;

/** @param {string} address */
export const notFound = (address) => page("There is no such page", html`
  <p>Nothing is at <code>${plain(address)}</code>.</p>
  <p><a href="/console/">Go to the inbox</a></p>`);

/** @param {string} title of the page @param {string} permission @param {string} who */
export const forbidden = (title, permission, who) => page(`You may not open “${title}”`, html`
  <p>It needs the permission <code>${permission}</code> in this workspace.
    ${who ? html`Who has it: ${who}.` : ""}</p>
  <p>Ask an admin of the workspace to change your role, or open another workspace.</p>`);

/** @param {string} title of the page @param {string} address of the page where packs are switched; empty for others */
export const packOff = (title, address) => page(`“${title}” is off`, html`
  <p>This page shows what a pack does, and the pack is off in this workspace.</p>
  <p>${address ? html`<a href=${address}>Switch packs on</a>` : "Ask an admin of the workspace to switch it on."}</p>`);

/** @param {ApiError} error */
export const noMember = (error) => page("You may not open this workspace", html`
  ${problem(error)}
  <p>Who may: its active members. The list of your workspaces is in the menu above.</p>
  <p><a href="/console/">Go to a workspace of yours</a></p>`);

/** @param {string} address of the sign-in page */
export const signedOut = (address) => page("You are signed out", html`
  <p>The session has ended. Nothing more was loaded.</p>
  <p><a class="button primary" href=${address}>Sign in</a></p>`);

/**
 * For somebody whom the provider knows and no workspace.
 * @param {{ issuer: string, subject: string } | undefined} user
 */
export const noWorkspace = (user) => page("No workspace has you as a member", html`
  <p>You are signed in. Ask an admin of a workspace to add you as a member, with exactly these two values.</p>
  <dl class="facts">
    <dt>Issuer</dt><dd>${name(user?.issuer)} <copy-text .value=${user?.issuer ?? ""} what="issuer"></copy-text></dd>
    <dt>Subject</dt><dd>${name(user?.subject)} <copy-text .value=${user?.subject ?? ""} what="subject"></copy-text></dd>
  </dl>
  <p><a href="/console/">Look again</a></p>`);

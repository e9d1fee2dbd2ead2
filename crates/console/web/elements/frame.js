// The frame around every page: the bar with the workspace and the person, and the navigation.
import { html, nothing } from "../vendor/lit.js";
import { NAVIGATION, home, route } from "../routes.js";
import { signOut } from "../lib/session.js";
import { ROLE, word } from "../lib/strings.js";
import { name, plain } from "../lib/text.js";

/** @typedef {import("../app.js").ConsoleApp} App */

/** @param {App} app */
export function bar(app) {
  return html`<header class="bar">
    ${app.state.workspace ? html`<button type="button" class="opener fold" popovertarget="side" aria-label="Pages"><span
      aria-hidden="true">☰</span></button>` : ""}
    <a class="mark" href="/console/">Toolcrib</a>
    ${app.state.me ? workspaces(app) : ""}
    <span class="space"></span>
    ${app.state.workspace && app.state.mine.length ? badge(app) : ""}
    ${app.state.session?.user ? person(app) : ""}
  </header>`;
}

/** @param {App} app */
function badge(app) {
  const count = app.state.mine.length;
  return html`<a class="badge" href=${home(app.state.workspace ?? "")} aria-label="${count} waiting for you">
    <span aria-hidden="true">◔ ${count}</span></a>`;
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
  const pages = group.pages.map(route).filter((one) => one && app.state.mayOpen(one));
  if (!pages.length) return nothing;
  const address = (/** @type {typeof pages[0]} */ one) => one?.address?.(app.state.workspace ?? "") ?? "";
  const row = (/** @type {typeof pages[0]} */ one) => html`<li><a href=${address(one)}
    aria-current=${current(app, one?.name)}>${one?.title}
    ${one?.name === "inbox" && app.state.mine.length ? html`<span class="count">${app.state.mine.length}<span
      class="unseen"> waiting for you</span></span>` : ""}</a></li>`;
  return html`${group.title ? html`<h2>${group.title}</h2>` : ""}<ul>${pages.map(row)}</ul>`;
}

/** Of the link to a page: that it is in view, or a page below it. @param {App} app @param {string} [page] */
function current(app, page) {
  if (app.route?.name === page) return "page";
  return app.route?.parent === page ? "true" : nothing;
}

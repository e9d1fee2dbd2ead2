// The account: who is signed in and until when, the theme, and the ways out.
import { LitElement, html } from "../vendor/lit.js";
import { ROLE, become, signOut } from "../lib/session.js";
import { name, plain, word } from "../lib/text.js";
import { THEME, chooseTheme, chosenTheme } from "../lib/theme.js";
import { formatTime } from "../lib/time.js";
import { home } from "../routes.js";
import "../elements/console-parts.js";

class AccountPage extends LitElement {
  /** @type {import("../app.js").ConsoleApp | undefined} */
  app;

  createRenderRoot() {
    return this;
  }

  render() {
    const session = this.app?.state.session;
    if (!session) return "";
    return html`<h1 tabindex="-1">Account</h1>
      ${this.who(session)} ${this.memberships()}
      ${this.theme()} ${this.out()}
      ${session.people?.length ? this.others(session.people) : ""}`;
  }

  /** @param {import("../lib/session.js").Session} session */
  who({ user, ends_at: ends, system_admin: admin }) {
    const shown = user?.name ?? this.app?.state.me?.user?.display_name;
    /** @param {string} label @param {string} [value] */
    const row = (label, value) => html`<dt>${label}</dt>
      <dd>${name(value)} <copy-text .value=${value ?? ""} what=${label.toLowerCase()}></copy-text></dd>`;
    return html`<section class="card"><h2>Signed in as ${name(shown ?? user?.subject)}</h2><dl class="facts">
      ${row("Issuer", user?.issuer)} ${row("Subject", user?.subject)} ${row("User id", user?.id)}
      ${admin ? html`<dt>Rights</dt><dd>System admin</dd>` : ""}
      ${ends ? html`<dt>Session ends</dt><dd><time datetime=${ends}>${formatTime(ends)}</time>,
        earlier when idle</dd>` : ""}
    </dl></section>`;
  }

  memberships() {
    const all = this.app?.state.me?.workspaces ?? [];
    const row = (/** @type {typeof all[0]} */ one) => html`<li><a href=${home(one.id)}>${name(one.name)}</a>
      <span class="muted">${word(ROLE, one.role)}</span></li>`;
    const list = all.length ? html`<ul class="plain">${all.map(row)}</ul>`
      : html`<p>You are a member of no workspace. An admin adds you by the issuer and the subject above.</p>`;
    return html`<section class="card"><h2>Workspaces</h2>${list}</section>`;
  }

  theme() {
    const chosen = chosenTheme();
    const option = (/** @type {[string, string]} */ [value, label]) => html`<label><input type="radio" name="theme"
      value=${value} .checked=${value === chosen} @change=${() => chooseTheme(value)}> ${label}</label>`;
    return html`<section class="card"><h2 id="theme-title">Theme</h2>
      <div class="choice" role="radiogroup" aria-labelledby="theme-title">${Object.entries(THEME).map(option)}</div>
      <p class="small muted">It is kept in this browser.</p></section>`;
  }

  out() {
    return html`<section class="card"><h2>Sign out</h2>
      <div class="actions">
        <button type="button" @click=${() => this.app?.attempt(() => signOut(false))}>Sign out here</button>
        <button type="button" @click=${() => this.app?.attempt(() => signOut(true))}>Sign out everywhere</button>
      </div>
      <p class="small muted">“Everywhere” ends every session of yours, in all browsers.</p></section>`;
  }

  /** @param {import("../lib/session.js").Person[]} people */
  others(people) {
    const me = this.app?.state.session?.user?.id;
    const row = (/** @type {import("../lib/session.js").Person} */ one) => html`<li>
      <span class="grow"><strong>${name(one.name ?? one.user_id)}</strong>
        <span class="small muted">${word(ROLE, one.role)} of ${name(one.workspace)}</span></span>
      ${one.user_id === me ? html`<span class="tag">you</span>` : html`<button type="button"
        aria-label="Be ${plain(one.name ?? one.user_id)}, ${one.role} of ${plain(one.workspace)}"
        @click=${() => this.app?.attempt(() => become(one.user_id))}>Be them</button>`}</li>`;
    return html`<section class="card"><h2>Be somebody else</h2>
      <p>This is a demo. See what a role changes: the session becomes that of the person whom you choose.</p>
      <ul class="rows">${people.map(row)}</ul></section>`;
  }
}

customElements.define("account-page", AccountPage);

// The members of the workspace, and a form that adds one.
import { html } from "../vendor/lit.js";
import { ROLES, ROLE_NOTE, memberName } from "../lib/members.js";
import { ROLE } from "../lib/session.js";
import { name, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { withQuery } from "../lib/address.js";
import { choice, field } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { pageAddress } from "../routes.js";

/**
 * @typedef {import("../lib/members.js").MemberPage} MemberPage
 * @typedef {import("../lib/members.js").Member} Member
 */

/** @extends {Page<MemberPage>} */
class PeoplePage extends Page {
  read() {
    const cursor = this.query.get("cursor");
    return this.call("GET", `/v1/members?${new URLSearchParams({ limit: "100", ...(cursor ? { cursor } : {}) })}`);
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  async add(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const given = [...new FormData(form)].map(([key, value]) => [key, String(value).trim()]);
    const body = Object.fromEntries(given.filter(([, value]) => value));
    if (!(await this.act(() => this.call("POST", "/v1/members", { body }), "", "The member is added."))) return;
    form.reset();
    await this.load();
  }

  render() {
    return html`<h1 tabindex="-1">People</h1>
      <p class="lead muted">The members of this workspace. A role counts from the next call on.</p>
      ${this.renderData((page) => this.list(page))}
      ${this.may("members:manage") ? this.form() : html`<p class="muted after">Admins and owners add members and change
        roles.</p>`}`;
  }

  /** @param {MemberPage} page */
  list({ items, next_cursor: next }) {
    return html`<ul class="rows links">${items.map((one) => this.row(one))}</ul>
      ${next ? html`<p class="after"><a class="button" href=${withQuery({ cursor: next })}>More</a></p>` : ""}`;
  }

  /** @param {Member} one */
  row(one) {
    const isMe = one.user_id === this.app?.state.session?.user?.id;
    return html`<li class="row bare">
      <div class="what"><a href=${pageAddress(this.workspace, "people", one.user_id)}>${name(memberName(one))}</a>
        <p class="small muted">${name(one.subject)} at ${name(one.issuer)},
          since ${formatTime(one.created_at)}</p></div>
      <div class="state"><span class="tag">${word(ROLE, one.role)}</span>
        ${isMe ? html`<span class="tag">you</span>` : ""}
        ${one.active ? "" : html`<span class="tag failed">switched off</span>`}</div></li>`;
  }

  form() {
    const roles = Object.fromEntries(ROLES.map((role) => [role, `${ROLE[role]}: ${ROLE_NOTE[role]}`]));
    return html`<section class="group after"><h2>Add a member</h2>
      <p>By the issuer and the subject of their tokens, which they see in their account.</p>
      <form class="filters" @submit=${this.add} autocomplete="off">
        ${field("subject", "Subject", null)} ${field("issuer", "Issuer", null, "That of your own token")}
        ${field("display_name", "Name", null)} ${choice("role", "Role", roles, "member")}
        <button type="submit" ?disabled=${this.busy}>Add</button></form>${this.feedback()}</section>`;
  }
}

customElements.define("people-page", PeoplePage);

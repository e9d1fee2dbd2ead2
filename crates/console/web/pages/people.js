// The members of the workspace and those who are invited, and forms that invite and add one.
import { html } from "../vendor/lit.js";
import { ROLES, ROLE_NOTE, memberName } from "../lib/members.js";
import { ROLE } from "../lib/session.js";
import { name, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { withQuery } from "../lib/address.js";
import { choice, field } from "../elements/blocks.js";
import { Page } from "../elements/page.js";
import { pageAddress } from "../routes.js";
import "../elements/secret-once.js";
import { invitationRow } from "./people-parts.js";

/**
 * @typedef {import("../lib/members.js").MemberPage} MemberPage
 * @typedef {import("../lib/members.js").Member} Member
 * @typedef {import("../lib/members.js").Invitation} Invitation
 * @typedef {{ members: MemberPage, invitations: Invitation[] }} People
 * @typedef {import("../elements/blocks.js").FormEvent} FormEvent
 */

/** What a form holds, without the fields that are empty. @param {HTMLFormElement} form */
function filled(form) {
  const given = [...new FormData(form)].map(([key, value]) => [key, String(value).trim()]);
  return Object.fromEntries(given.filter(([, value]) => value));
}

/** @extends {Page<People>} */
class PeoplePage extends Page {
  constructor() {
    super();
    /** Id of the invitation that is about to be revoked: the second press does it. */
    this.revoking = "";
    /** The link of a new invitation, until the person copied it. @type {string | null} */
    this.link = null;
  }

  async read() {
    const cursor = this.query.get("cursor");
    const query = new URLSearchParams({ limit: "100", ...(cursor ? { cursor } : {}) });
    const invites = !cursor && this.may("members:manage");
    const [members, open] = await Promise.all([
      this.call("GET", `/v1/members?${query}`),
      invites ? this.call("GET", "/v1/invitations?open=true&limit=100") : { items: [] },
    ]);
    return { members, invitations: open.items };
  }

  /** @param {FormEvent} event */
  async invite(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const done = await this.act(async () => {
      this.link = (await this.call("POST", "/v1/invitations", { body: filled(form) })).url;
    }, "invite", "The invitation is made.");
    if (!done) return;
    form.reset();
    await this.load();
  }

  /** @param {string} id */
  async revoke(id) {
    if (this.revoking !== id) {
      this.revoking = id;
      return this.requestUpdate();
    }
    this.revoking = "";
    const path = `/v1/invitations/${encodeURIComponent(id)}`;
    if (await this.act(() => this.call("DELETE", path), "list", "The invitation is revoked.")) await this.load();
  }

  /** @param {FormEvent} event */
  async add(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const body = filled(form);
    if (!(await this.act(() => this.call("POST", "/v1/members", { body }), "add", "The member is added."))) return;
    form.reset();
    await this.load();
  }

  render() {
    return html`<h1 tabindex="-1">People</h1>
      <p class="lead muted">The members of this workspace. A role counts from the next call on.</p>
      ${this.renderData((people) => this.list(people))}
      ${this.may("members:manage") ? [this.inviteForm(), this.addForm()] : html`<p class="muted after">Admins and
        owners add members and change roles.</p>`}`;
  }

  /** @param {People} people */
  list({ members: { items, next_cursor: next }, invitations }) {
    const context = {
      revoking: this.revoking, busy: this.busy, revoke: (/** @type {string} */ id) => this.revoke(id),
    };
    return html`<ul class="rows links">${invitations.map((one) => invitationRow(one, context))}${
      items.map((one) => this.row(one))}</ul>
      ${this.feedback("list")}
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

  /** The roles that this person may give, with what each is for. */
  roles() {
    const highest = this.may("members:change_role") ? ROLES.length : ROLES.indexOf("admin");
    return Object.fromEntries(ROLES.slice(0, highest).map((role) => [role, `${ROLE[role]}: ${ROLE_NOTE[role]}`]));
  }

  inviteForm() {
    return html`<section class="group after" id="invite"><h2>Invite somebody</h2>
      <p>You get a link, which works once within seven days. Whoever signs in with it becomes a member. With an e-mail
        address, only the person for whom your organization's sign-in confirms it.</p>
      <form class="filters" @submit=${this.invite} autocomplete="off">
        ${field("email", "E-mail", null, "Anybody with the link")}
        ${choice("role", "Role", this.roles(), "member")}
        <button type="submit" class="primary" ?disabled=${this.busy}>Invite</button></form>
      ${this.feedback("invite")}
      ${this.link ? html`<secret-once kind="link" .value=${this.link} @stored=${() => this.forget()}></secret-once>`
        : ""}</section>`;
  }

  forget() {
    this.link = null;
    this.requestUpdate();
  }

  addForm() {
    return html`<section class="group after" id="add"><h2>Add a member</h2>
      <p>By the issuer and the subject of their tokens, which they see in their account.</p>
      <form class="filters" @submit=${this.add} autocomplete="off">
        ${field("subject", "Subject", null)} ${field("issuer", "Issuer", null, "That of your own token")}
        ${field("display_name", "Name", null)} ${choice("role", "Role", this.roles(), "member")}
        <button type="submit" ?disabled=${this.busy}>Add</button></form>${this.feedback("add")}</section>`;
  }
}

customElements.define("people-page", PeoplePage);

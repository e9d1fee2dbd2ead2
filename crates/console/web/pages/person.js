// One member: role, on and off, removal. Before a change the page shows what it takes away, and from which keys.
import { html } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { memberName } from "../lib/members.js";
import { name } from "../lib/text.js";
import { Page } from "../elements/page.js";
import { pageAddress } from "../routes.js";
import { changeForm, consequences, facts, weakened } from "./person-parts.js";

/**
 * @typedef {import("../lib/members.js").MemberWithDelegates} MemberWithDelegates
 * @typedef {import("../lib/members.js").MemberChange} MemberChange
 * @typedef {{ member: MemberWithDelegates, matrix: import("../lib/actions.js").Matrix | null }} Data
 */

/** @extends {Page<Data>} */
class PersonPage extends Page {
  constructor() {
    super();
    /** What the last change took from keys. @type {Pick<MemberChange, "weakened" | "more_weakened"> | null} */
    this.outcome = null;
  }

  get user() {
    return this.pathPart("user");
  }

  /** The change that the address has: a role, `off`, `on` or `remove`. */
  get change() {
    return this.query.get("change") ?? "";
  }

  dataKey() {
    return `${this.user} ${Boolean(this.change)}`;
  }

  async read() {
    const [member, matrix] = await Promise.all([
      this.call("GET", `/v1/members/${encodeURIComponent(this.user)}`),
      this.change && this.may("audit:read") ? this.call("GET", "/v1/access/matrix") : null,
    ]);
    return { member, matrix };
  }

  /** Does the change of the address. @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
  async apply(event) {
    event.preventDefault();
    const adopt = Boolean(new FormData(event.currentTarget).get("adopt"));
    const [change, path] = [this.change, `/v1/members/${encodeURIComponent(this.user)}`];
    const done = await this.act(async () => {
      if (change === "remove") this.outcome = await this.call("DELETE", `${path}?adopt=${adopt}`);
      else {
        const body = change === "on" || change === "off" ? { active: change === "on" } : { role: change };
        this.outcome = await this.call("PATCH", path, { body: adopt ? { ...body, adopt } : body });
      }
    }, "", change === "remove" ? "The member is removed." : "The member is changed.");
    if (!done) return;
    if (change === "remove") return void this.app?.go(pageAddress(this.workspace, "people"), false);
    await this.app?.go(location.pathname, true);
    await this.load();
    // Another address forgets it.
    this.said = "The member is changed.";
  }

  render() {
    return html`<p class="small"><a href=${pageAddress(this.workspace, "people")}>People</a></p>
      ${this.renderData((data) => this.show(data))}`;
  }

  /** The heading is there before the data. @param {(data: Data) => unknown} show */
  renderData(show) {
    return this.data ? super.renderData(show) : html`<h1 tabindex="-1">Member</h1>${super.renderData(show)}`;
  }

  /** @param {Data} data */
  show({ member, matrix }) {
    const change = this.change;
    const mine = this.may("members:manage");
    return html`<h1 tabindex="-1">${name(memberName(member))}</h1>
      ${facts(member)} ${this.outcome ? weakened(this.outcome) : ""}
      ${mine ? changeForm(member, change, (wanted) => this.app?.go(withQuery({ change: wanted }), false))
        : html`<p class="muted">Admins and owners change members.</p>`}
      ${mine && change ? consequences({ member, matrix, change, busy: this.busy, apply: (event) => this.apply(event),
        back: location.pathname }) : ""}
      ${this.feedback()}`;
  }
}

customElements.define("person-page", PersonPage);

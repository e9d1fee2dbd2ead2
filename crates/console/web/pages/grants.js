// Grants of conversations: which action needs no confirmation, in which conversation, for whom and until when.
import { html } from "../vendor/lit.js";
import { REQUESTER, actionWords, name, plain, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { home } from "../routes.js";
import { personName } from "../elements/card-parts.js";
import { Page } from "../elements/page.js";

/**
 * @typedef {{ id: string, action: string, session: string, principal_kind: string, principal_id: string,
 *   principal_name?: string | null, user_id: string | null, user_name?: string | null, granted_by: string,
 *   granted_by_name?: string | null, granted_at: string, expires_at: string }} Grant
 */

/** @extends {Page<{ items: Grant[] }>} */
class GrantsPage extends Page {
  read() {
    return this.call("GET", "/v1/grants");
  }

  render() {
    return html`<p class="small"><a href=${home(this.workspace)}>Inbox</a></p>
      <h1 tabindex="-1">Grants of conversations</h1>
      <p class="lead">An approval may count for the rest of a conversation. Until the grant ends, the same action of the
        same caller runs there without a question. A restart of the service ends all of them.</p>
      ${this.renderData(({ items }) => (items.length ? this.list(items) : this.none()))}`;
  }

  none() {
    return html`<div class="empty"><p><strong>No grant is in force.</strong></p>
      <p>One appears here when somebody approves a call and chooses “Do not ask again in this conversation”.</p></div>`;
  }

  /** @param {Grant[]} items */
  list(items) {
    return html`<ul class="rows">${items.map((one) => this.row(one))}</ul>`;
  }

  /** @param {Grant} one */
  row(one) {
    const label = `Revoke ${actionWords(one.action)} in the conversation ${plain(one.session)}`;
    return html`<li><span class="grow">
        <span><strong>${actionWords(one.action)}</strong> <code>${plain(one.action)}</code> in the conversation
          ${name(one.session)}</span>
        ${this.people(one)}</span>
      <button type="button" aria-label=${label} ?disabled=${this.busy}
        @click=${() => this.revoke(one)}>Revoke</button>${this.feedback(one.id)}</li>`;
  }

  /** For whom, from whom, and until when. @param {Grant} one */
  people(one) {
    const me = this.app?.state.session?.user?.id ?? "";
    const kind = one.principal_name ? "" : word(REQUESTER, one.principal_kind);
    const forOther = one.principal_kind !== "user" && one.user_id;
    const owner = forOther ? html`, for ${personName(one.user_id, one.user_name, me)}` : "";
    return html`<span class="small muted">${kind} ${personName(one.principal_id, one.principal_name, me)}${owner}</span>
      <span class="small muted">given by ${personName(one.granted_by, one.granted_by_name, me)}
        at <time datetime=${one.granted_at}>${formatTime(one.granted_at)}</time>,
        until <time datetime=${one.expires_at}>${formatTime(one.expires_at)}</time></span>`;
  }

  /** @param {Grant} one */
  async revoke(one) {
    const path = `/v1/sessions/${encodeURIComponent(one.session)}/grants/${encodeURIComponent(one.id)}`;
    if (!(await this.act(() => this.call("DELETE", path), one.id, "The grant is revoked."))) return;
    await this.load();
    this.querySelector("h1")?.focus();
  }
}

customElements.define("grants-page", GrantsPage);

// The row of somebody who is invited.
import { html } from "../vendor/lit.js";
import { ROLE } from "../lib/session.js";
import { name, word } from "../lib/text.js";
import { formatTime } from "../lib/time.js";

/**
 * @typedef {import("../lib/members.js").Invitation} Invitation
 * @typedef {object} Context of the list
 * @property {string} revoking id of the invitation that is about to be revoked
 * @property {boolean} busy
 * @property {(id: string) => void} revoke
 */

/** @param {Invitation} one @param {Context} list */
export function invitationRow(one, list) {
  const isSure = list.revoking === one.id;
  const inviter = one.invited_by_name ? name(one.invited_by_name) : one.invited_by ? "a member" : "the command line";
  const label = `${isSure ? "Revoke for good" : "Revoke"}: invitation as ${ROLE[one.role]}`;
  return html`<li><span class="grow">
      <span><strong>${one.email ? name(one.email) : "Anybody with the link"}</strong>
        <span class="tag">${word(ROLE, one.role)}</span> <span class="tag">Invited</span></span>
      <span class="small muted">Invited by ${inviter}, until ${formatTime(one.expires_at)}</span></span>
    <button type="button" class="danger" aria-label=${label} ?disabled=${list.busy}
      @click=${() => list.revoke(one.id)}>${isSure ? "Revoke for good" : "Revoke…"}</button></li>`;
}

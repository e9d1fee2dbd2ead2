// The rows of the inbox, and what an empty list says.
import { html } from "../vendor/lit.js";
import { isOpen } from "../lib/confirmations.js";
import { LEVEL, REQUESTER, STATUS, word } from "../lib/strings.js";
import { name, plain, shortId, text } from "../lib/text.js";
import { when } from "../lib/time.js";
import "../elements/parts.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("../lib/state.js").State} State
 */

/**
 * One confirmation: the sentence is the link.
 * @param {Confirmation} one
 * @param {State | undefined} state
 */
export function row(one, state) {
  const [sign, level] = word(LEVEL, one.level) || ["?", one.level];
  return html`<li class="row ${one.level === "typed" ? "danger" : ""}">
    <span class="sign" aria-hidden="true">${sign}</span>
    <div class="what">
      <a href="/approve/${encodeURIComponent(one.id)}">${text(one.description)}</a>
      <p class="small muted"><code>${plain(one.action)}</code> <span>${plain(level)}</span></p>
      <p class="small muted">${requester(one, state)}</p>
    </div>
    <div class="state">
      <span class="tag ${one.status}">${plain(word(STATUS, one.status))}</span>
      <span class="small">${isOpen(one) ? html`<time-left .until=${one.expires_at}></time-left>`
        : ended(one, state)}</span>
    </div>
  </li>`;
}

/** Who asked, and for whom. @param {Confirmation} one @param {State | undefined} state */
function requester(one, state) {
  const { kind, id, user_id: user } = one.requester;
  const me = state?.session?.user?.id;
  if (kind === "user" && id === me) return "You asked";
  const owner = kind === "user" || !user ? "" : user === me ? ", for you" : html`, for ${shortId(user)}`;
  return html`${plain(word(REQUESTER, kind))} ${shortId(id)}${owner}`;
}

/** When it ended, by whom, and why. @param {Confirmation} one @param {State | undefined} state */
function ended(one, state) {
  // The service notices an expiry later than it happens.
  const at = one.status === "expired" ? one.expires_at : one.decided_at;
  const decider = one.decided_by;
  const by = !decider ? "" : decider === state?.session?.user?.id ? "by you" : html`by ${shortId(decider)}`;
  return html`${at ? html`<time datetime=${at}>${when(at)}</time>` : ""} ${by}
    ${one.reason ? html`<span class="reason">“${name(one.reason)}”</span>` : ""}`;
}

/** @param {string} tab @param {State} state */
export function empty(tab, state) {
  if (tab === "others") return nobodyElse(state);
  const said = tab === "decided" ? "Nothing was decided yet." : "Nothing waits for you.";
  return html`<div class="empty"><p><strong>${said}</strong></p>
    <p>A call that needs a person's decision appears here: a destructive one, and in some workspaces every write. This
      one waits, if your role may delete agents; put your token and the name of an agent in:</p>
    ${command(state.workspace ?? "")}</div>`;
}

/** @param {State} state */
function nobodyElse(state) {
  const all = state.me?.role === "admin" || state.me?.role === "owner";
  return html`<div class="empty"><p><strong>Nothing waits for others${all ? "" : " that you may see"}.</strong></p>
    <p>${all ? "What other people and their agents ask for in this workspace appears here."
      : "Admins and owners see here what other people and their agents ask for."}</p></div>`;
}

/** A call that waits for a person. @param {string} workspace */
function command(workspace) {
  const lines = [
    `curl ${location.origin}/v1/actions/platform_delete_agent \\`,
    "  -H \"Authorization: Bearer $TOKEN\" \\",
    `  -H 'X-Workspace-Id: ${workspace}' \\`,
    "  -H 'Content-Type: application/json' -d '{\"agent\": \"NAME\"}'",
  ].join("\n");
  return html`<div class="command"><pre><code>${lines}</code></pre>
    <copy-text .value=${lines} what="command"></copy-text></div>`;
}

// The rows of what was decided, and what an empty list says.
import { html } from "../vendor/lit.js";
import { STATUS, LEVEL, word } from "../lib/strings.js";
import { name, plain, text } from "../lib/text.js";
import { when } from "../lib/time.js";
import { requester, who } from "../elements/card-parts.js";
import "../elements/parts.js";

/**
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {import("../lib/state.js").State} State
 */

/**
 * One confirmation that has ended: the sentence is the link.
 * @param {Confirmation} one
 * @param {State | undefined} state
 */
export function row(one, state) {
  const [sign, level] = word(LEVEL, one.level) || ["?", one.level];
  const me = state?.session?.user?.id ?? "";
  return html`<li class="row ${one.level === "typed" ? "danger" : ""}">
    <span class="sign" aria-hidden="true">${sign}</span>
    <div class="what">
      <a href="${location.pathname.replace(/\/$/, "")}/${encodeURIComponent(one.id)}">${text(one.description)}</a>
      <p class="small muted"><code>${plain(one.action)}</code> <span>${plain(level)}</span></p>
      <p class="small muted">${requester(one, me)}</p>
    </div>
    <div class="state">
      <span class="tag ${one.status}">${plain(word(STATUS, one.status))}</span>
      <span class="small">${ended(one, me)}</span>
    </div>
  </li>`;
}

/** When it ended, by whom, and why. @param {Confirmation} one @param {string} me */
function ended(one, me) {
  // The service notices an expiry later than it happens.
  const at = one.status === "expired" ? one.expires_at : one.decided_at;
  const by = one.decided_by ? html`by ${who(one.decided_by, one.decided_by_name, me)}` : "";
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

// What stands in place of data that could not be had.
import { html } from "../vendor/lit.js";
import { plain, sentence, text } from "../lib/text.js";

/** @typedef {import("../lib/api.js").ApiError} ApiError */

/**
 * An error of the API: what happened, what to do, the page about its code, and the id to look it up by.
 * @param {ApiError} error
 * @param {(() => void) | null} [again] what the person may try again
 * @param {string} [base] of the service, where it is another origin
 */
export function problem(error, again = null, base = "") {
  const known = error.code && /^[a-z_]+$/.test(error.code);
  return html`<div class="notice wrong" role="alert">
    <p><strong>${text(sentence(error.message))}</strong></p>
    ${error.hint ? html`<p>${text(sentence(error.hint))}</p>` : ""}
    ${error.errors.length > 1 ? html`<ul class="plain">${error.errors.map((one) => html`<li>
      <code>${plain(one.pointer || "/")}</code> ${text(one.message)}</li>`)}</ul>` : ""}
    <p class="small muted">
      ${known ? html`<a href="${base}/docs/errors/${error.code}"><code>${error.code}</code></a>` : "no answer"}
      ${error.requestId ? html`<span>request <code>${plain(error.requestId)}</code></span>` : ""}
    </p>
    ${again ? html`<p><button type="button" @click=${again}>Try again</button></p>` : ""}
  </div>`;
}

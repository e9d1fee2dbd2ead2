// What the page of the chat shows of a message: its text, its calls, and the confirmations that they wait for.
import { html, nothing } from "../vendor/lit.js";
import { markdown } from "../lib/markdown.js";
import { actionWords, plain, sentence, text } from "../lib/text.js";
import { pageAddress } from "../routes.js";
import { json, lines, pluralize } from "../elements/blocks.js";

/**
 * @typedef {import("../lib/chat-message.js").Message} Message
 * @typedef {import("../lib/chat-message.js").Part} Part
 * @typedef {{ workspace: string, audit: boolean, card: (id: string) => unknown }} Shown
 */

/** State of a call: the class of its tag, and its word. @type {Record<string, [string, string]>} */
const STATES = {
  "input-available": ["", "running"], "output-available": ["executed", "done"], "output-error": ["failed", "not done"],
  "approval-requested": ["pending", "waits for you"],
};

/** @param {Message} message @param {Shown} shown */
export function message(message, shown) {
  const own = message.role === "user";
  return html`<article class="message ${own ? "own" : ""}"><h2 class="unseen">${own ? "You" : "Assistant"}</h2>
    ${message.parts.map((part) => one(part, own, shown))}
    ${message.stopped ? html`<p class="small muted">It was stopped.</p>` : ""}${own ? "" : footer(message)}</article>`;
}

/** Why an answer is not whole. While it is written, a notice says so. @type {Record<string, string>} */
const UNFINISHED = {
  length: "The answer was cut off.", content_filter: "The model's provider withheld the answer.",
  empty: "The model said nothing.", steps: "The run reached its limit of steps before it was done.",
};

/** @param {Message} message */
function footer({ metadata, parts }) {
  const noticed = parts.some((part) => part.type === "data-notice");
  const why = metadata?.error?.detail ?? (noticed ? undefined : UNFINISHED[metadata?.finish]);
  const failed = why ? html`<div class="notice wrong"><p>${text(sentence(why))}</p></div>` : "";
  if (!metadata?.model) return failed;
  const { cost_known: known, cost_microusd: cost = 0 } = metadata.usage ?? {};
  const tokens = (metadata.usage?.input_tokens ?? 0) + (metadata.usage?.output_tokens ?? 0);
  return html`${failed}<p class="small muted">${plain([metadata.upstream, metadata.model].filter(Boolean).join("/"))}${
    tokens ? ` · ${pluralize(tokens, "token")}` : ""}${known && tokens ? ` · $${(cost / 1e6).toFixed(4)}` : ""}</p>`;
}

/** @param {Part} part */
const words = ({ text: said }) => html`<p class="words">${lines(said ?? "")}</p>`;

/** @param {Part} part @param {boolean} own @param {Shown} shown */
function one(part, own, shown) {
  switch (part.type) {
    case "text": return own ? words(part) : html`<div class="answer">${markdown(part.text ?? "")}</div>`;
    case "reasoning": return html`<details class="small"><summary>Reasoning</summary>${words(part)}</details>`;
    case "data-notice": return html`<div class="notice small"><p>${text(part.text ?? "")}</p></div>`;
    case "dynamic-tool": return call(part, shown);
    default: return nothing;
  }
}

/** @param {Part} part @param {Shown} shown */
function call(part, { workspace, audit, card }) {
  const output = /** @type {any} */ (part.output);
  const waits = output?.status === "confirmation_required";
  const [kind, word] = waits ? ["pending", "waits for a decision"] : STATES[part.state ?? ""] ?? ["", part.state];
  const said = part.errorText ?? output?.description ?? "";
  const asked = part.state === "approval-requested" ? part.approval?.id.split(".")[0] : undefined;
  const confirmation = waits ? output.confirmation : asked;
  return html`<div class="call"><details><summary><strong>${actionWords(part.toolName ?? "")}</strong>
      <span class="tag ${kind}">${word}</span></summary>
      ${json("Arguments", part.input ?? {})}
      ${audit && output?.call_id ? html`<p class="small"><a href=${pageAddress(workspace, "audit", output.call_id)}>Its
        row in the audit log</a></p>` : ""}</details>
    ${said ? html`<p class="small">${text(sentence(said))}</p>` : ""}${confirmation ? card(confirmation) : ""}</div>`;
}

/** What stands in place of the chat where there is no model. @param {boolean} mayAdd whether the person may add one */
export const noModel = (mayAdd) => html`<div class="empty"><p><strong>No language model is configured.</strong></p>
  ${mayAdd ? html`<ol><li>Add a service of models as an upstream: <code>POST /v1/upstreams</code> with the kind
      <code>openai</code>, <code>openai_responses</code> or <code>anthropic</code>, its address, and its
      <code>models</code>.</li>
    <li>Set its secret: <code>PUT /v1/upstreams/{name}/secret</code>.</li>
    <li>Come back to this page.</li></ol>
    <p>The operator can set one for all workspaces with <code>--assistant-provider</code>.</p>`
    : html`<p>An admin of the workspace adds a service of models, or the operator sets one for all
      workspaces.</p>`}</div>`;

/** What a demo says that has only commands. */
export const commandsOnly = html`<div class="notice"><p>No language model. Commands only, such as
  <code>list_agents</code>, <code>list_tasks limit=3</code> and <code>delete_agent {"agent": "Release Writer"}</code>.
  To use one: <code>--assistant-provider …</code></p></div>`;

// Parts of the page about one action.
import { html } from "../vendor/lit.js";
import { curlCommand } from "../lib/command.js";
import { exampleArguments } from "../lib/example-arguments.js";
import { name, plain, text } from "../lib/text.js";
import { fact, field, json, snippet } from "../elements/blocks.js";
import { pageAddress } from "../routes.js";

/** @typedef {import("../lib/actions.js").Action} Action */

/** What a person must do first. @type {Record<string, string>} */
const CONFIRMATION = {
  none: "Nobody is asked first, unless the workspace wants every write confirmed",
  simple: "A person approves in one step", typed: "A person approves, then types the action's name",
};

/** Rules by their names, what would change a refusal, and the page for it. @type {Record<string, string[]>} */
const RULES = {
  membership: ["Membership", "An admin adds the person as a member, or switches the membership on.", "people"],
  enabled: ["Switched on", "An admin switches the tool on in this workspace."],
  accessible_by: ["Callers", "Only callers of the named types may call it: use a key with such a caller type."],
  principal_kind: ["Kind of credential", "Use a person's own token; keys may not do this."],
  scopes: ["Scopes", "Make a key with a scope that covers the permission.", "keys"],
  role: ["Role", "An admin gives the person a role that holds the permission.", "people"],
  admin_only: ["Admins only", "An owner makes the person an admin.", "people"],
  background: ["By itself", "A person sets up work that goes on by itself."],
  approval_mode: ["Approval mode", "An owner chooses another approval mode.", "settings"],
};

/** @param {Action} one */
export function about(one) {
  return html`<p class="lead">${text(one.description)}</p>
    ${one.warning ? html`<p class="notice wrong">${text(one.warning)}</p>` : ""}
    <dl class="facts card">
      ${fact("Level", one.permission_level)} ${fact("Permission", html`<code>${plain(one.permission)}</code>`)}
      ${fact("Confirmation", CONFIRMATION[one.confirmation] ?? one.confirmation)}
      ${fact("In tool lists", one.promoted ? "A tool of its own" : "Through the dispatcher")}
      ${fact("For", one.accessible_by === "everyone" ? "Callers of every type"
        : html`<code>${plain(JSON.stringify(one.accessible_by))}</code>`)}
      ${one.admin_only ? fact("Only for", "Admins, owners and system admins") : ""}
      ${one.notifies_admins ? fact("Notifies", "Admins, when somebody else calls it") : ""}
      ${one.available ? "" : fact("Configured", "No: the service behind it is missing, and a call answers 501")}
      ${fact("Category", name(one.category))} ${fact("Rate limit", html`<code>${plain(one.limit_class)}</code>`)}
      ${one.examples.length ? fact("Said by users", one.examples.map((phrase) =>
        html`<div>“${name(phrase)}”</div>`)) : ""}
    </dl>
    <section class="group"><h2>Arguments</h2>${json("Schema of the arguments", one.input_schema)}</section>
    <section class="group"><h2>Result</h2>${json("Schema of the result", one.output_schema)}</section>`;
}

/** @param {string | null} user @param {(event: import("../elements/blocks.js").FormEvent) => void} submit */
export const person = (user, submit) => html`<form class="filters" @submit=${submit} autocomplete="off">
  ${field("user", "For which member (id or subject)", user, "Yourself")}<button type="submit">Show</button></form>`;

/**
 * Why somebody may call the action or not, rule by rule.
 * @param {import("../lib/actions.js").Explanation} found @param {string} workspace
 */
export function explanation({ allowed, explanation: summary, factors, role }, workspace) {
  const row = (/** @type {typeof factors[0]} */ one) => {
    const [title, remedy, page] = RULES[one.rule] ?? [one.rule, ""];
    return html`<li class="rule ${one.passed ? "passed" : "failed"}">${verdict(one.passed)}<div
      class="grow"><strong>${plain(title)}</strong><p class="sentence">${text(one.explanation)}</p>
        ${one.passed ? "" : html`<p>What would change it: ${remedy}
          ${page ? html`<a href=${pageAddress(workspace, page)}>Open ${page}</a>` : ""}</p>`}</div></li>`;
  };
  const answer = allowed ? "May call it" : "May not call it";
  return html`<p class="figures" role="status"><span><strong>${answer}</strong></span>
      <span>${role ? `as ${role}` : "without a role here"}</span></p>
    <p class="lead sentence">${text(summary)}</p>
    <ol class="rows rules" aria-label="Rules">${factors.map(row)}</ol>`;
}

/** @param {boolean} passed */
const verdict = (passed) => html`<span class="verdict"><span aria-hidden="true">${passed ? "✓" : "✕"}</span><span
  class="unseen">${passed ? "passes" : "fails"}: </span></span>`;

/** The same call in several languages. @param {Action} action @param {string} workspace */
export function code(action, workspace) {
  const example = exampleArguments(action.input_schema);
  const path = `/v1/actions/${action.name}`;
  const block = (/** @type {string} */ title, /** @type {string} */ value) => html`<section class="group">
    <h2>${title}</h2>${snippet(value, `${title} code`)}</section>`;
  return html`<p class="lead">The credential is a token or a key, in <code>CRIB_TOKEN</code>. Values in
      <code>&lt;…&gt;</code> are to be replaced.
      ${action.name.includes("__") ? "" : html`<a href="/docs/operations/${action.name}">All about it in the API
        reference</a>.`}</p>
    ${block("curl", curlCommand(path, example, workspace))} ${block("Python", python(path, example, workspace))}
    ${block("TypeScript", typescript(path, example, workspace))} ${block("MCP", mcp(action, example))}`;
}

/** @param {string} path @param {unknown} example @param {string} workspace */
const python = (path, example, workspace) => `import os
import requests

answer = requests.post(
    "${location.origin}${path}",
    headers={"Authorization": f"Bearer {os.environ['CRIB_TOKEN']}", "X-Workspace-Id": "${workspace}"},
    json=${pythonValue(example)},
)
print(answer.status_code, answer.json())`;

/** JSON as Python writes it. @param {unknown} value @returns {string} */
function pythonValue(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonValue(one)}`).join(", ")}}`;
}

/** @param {string} path @param {unknown} example @param {string} workspace */
const typescript = (path, example, workspace) => `const answer = await fetch("${location.origin}${path}", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.CRIB_TOKEN}\`,
    "X-Workspace-Id": "${workspace}",
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${JSON.stringify(example)}),
});
if (!answer.ok) throw new Error(await answer.text());
const result = await answer.json();`;

/** The message of a client at `/mcp`. @param {Action} action @param {unknown} example */
function mcp({ name, promoted }, example) {
  const params = promoted ? { name, arguments: example }
    : { name: "platform_execute", arguments: { action: name, params: example } };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, null, 2);
}

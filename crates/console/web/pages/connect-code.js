// The code of the page that connects a chatbot.
import { curlCommand } from "../lib/command.js";

/** Caller type of the key that the page makes; its calls are found by it. */
export const CALLER = "chat";

/** The body of the call that makes the key. */
export const newKey = () => ({
  kind: "service", name: "First chatbot", role: "editor", scopes: ["*:read", "*:use"], caller_types: [CALLER],
});

/** @type {Record<string, { title: string, code: (workspace: string) => string }>} */
export const STACKS = {
  "": { title: "Python", code: python },
  typescript: { title: "TypeScript", code: typescript },
  mcp: { title: "MCP", code: mcp },
  curl: { title: "curl", code: (workspace) => withKey(curlCommand("/v1/tools/calls", CALLS, workspace)) },
};

/** What a model would answer to "Which agents are there?", in the shape of Chat Completions. */
const CALLS = {
  format: "openai",
  tool_calls: [{ id: "call_1", type: "function", function: { name: "platform_list_agents", arguments: "{}" } }],
};

/** @param {string} command */
const withKey = (command) => command.replace("$CRIB_TOKEN", "$CRIB_KEY");

/** @param {string} stack @param {string} workspace */
export const firstCall = (stack, workspace) => STACKS[stack].code(workspace);

/** A call with a person's own token: the key of the first call may not delete. @param {string} workspace */
export const waitingCall = (workspace) =>
  curlCommand("/v1/actions/platform_delete_agent", { agent: "<agent>" }, workspace);

/** @param {string} workspace */
function python(workspace) {
  return `import os, requests

crib = requests.Session()
crib.headers.update({"Authorization": f"Bearer {os.environ['CRIB_KEY']}", "X-Workspace-Id": "${workspace}"})
tools = crib.post("${location.origin}/v1/tools", json={"format": "openai", "strategy": "filtered",
                  "query": "Which agents are there?"}).json()["tools"]
# Give the tools to the model. It answers with calls such as these, which are passed through unchanged:
calls = ${JSON.stringify(CALLS.tool_calls)}
turn = crib.post("${location.origin}/v1/tools/calls", json={"format": "openai", "tool_calls": calls}).json()
print(len(tools), turn["messages"])  # the messages go back to the model`;
}

/** @param {string} workspace */
function typescript(workspace) {
  return `const headers = {
  Authorization: \`Bearer \${process.env.CRIB_KEY}\`, "X-Workspace-Id": "${workspace}",
  "Content-Type": "application/json",
};
const post = async (path: string, body: object) => (await fetch("${location.origin}" + path,
  { method: "POST", headers, body: JSON.stringify(body) })).json();
const { tools } = await post("/v1/tools", { format: "openai", strategy: "filtered", query: "Which agents are there?" });
// Give the tools to the model. It answers with calls such as these, which are passed through unchanged:
const calls = ${JSON.stringify(CALLS.tool_calls)};
const { messages } = await post("/v1/tools/calls", { format: "openai", tool_calls: calls }); // back to the model`;
}

/** @param {string} workspace */
function mcp(workspace) {
  const headers = { Authorization: "Bearer <secret>", "X-Workspace-Id": workspace };
  const server = { type: "http", url: `${location.origin}/mcp`, headers };
  return JSON.stringify({ mcpServers: { toolcrib: server } }, null, 2);
}

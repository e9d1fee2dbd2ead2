// Runs the tools of examples/toolsets/orion.toml that a user's calls have started: claims each call, runs it, and reports its
// outcome. Needs CRIB_URL, CRIB_WORKSPACE and CRIB_TOKEN, and no package.
import { setTimeout as sleep } from "node:timers/promises";

const { CRIB_URL, CRIB_WORKSPACE, CRIB_TOKEN, CRIB_POLL_SECONDS } = process.env;
const headers = {
  Authorization: `Bearer ${CRIB_TOKEN}`,
  "X-Workspace-Id": `${CRIB_WORKSPACE}`,
  "Content-Type": "application/json",
};

type Arguments = Record<string, any>;
type Call = { call_id: string; action: string; state: string };

const tasks = new Map<string, Arguments>();
const emails = new Map([["m-1", "The budget of next year"]]);

// The functions by the tools' full names. A call of another tool is left to another runner.
const tools: Record<string, (given: Arguments) => unknown> = {
  orion__create_task(given) {
    const id = `t-${tasks.size + 1}`;
    tasks.set(id, given);
    return { id };
  },
  orion__delete_email({ email_id }) {
    if (!emails.delete(email_id)) throw new Error(`there is no e-mail ${email_id}`);
    return { deleted: email_id };
  },
};

async function ask(method: string, path: string, body?: unknown): Promise<[number, any]> {
  const answer = await fetch(CRIB_URL + path, { method, headers, body: body ? JSON.stringify(body) : undefined });
  return [answer.status, await answer.json()];
}

/** Claims a call, runs it with exactly the claimed arguments, and reports what came of it. */
async function run({ call_id, action }: Call): Promise<void> {
  const [status, claimed] = await ask("POST", `/v1/calls/${call_id}/claim`, {});
  if (status !== 200) {
    // Another runner was faster, or the call is no longer allowed.
    console.log(`${action}: ${claimed.detail}`);
    return;
  }
  let report: unknown;
  try {
    report = { status: "succeeded", output: tools[action](claimed.arguments) };
  } catch (error) {
    // Whatever went wrong, the call has an outcome.
    report = { status: "failed", error: error instanceof Error ? error.message : String(error) };
  }
  // A report may be sent again: the same one has the same answer.
  const [, ended] = await ask("POST", `/v1/calls/${call_id}/outcome`, report);
  console.log(`${action}: ${ended.state ?? ended.detail}`);
}

console.log("waiting for calls");
for (;;) {
  const [status, page] = await ask("GET", "/v1/calls?open=true&mine=true&limit=100");
  if (status !== 200) console.log(`the list of calls: ${page.detail}`);
  for (const call of (page.items ?? []) as Call[]) {
    if (call.state === "ready" && call.action in tools) await run(call);
  }
  await sleep(Number(CRIB_POLL_SECONDS ?? 1) * 1000);
}

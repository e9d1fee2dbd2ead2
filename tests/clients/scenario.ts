// One step of what a chatbot does, with the installed package: `STEP` names it, and `GIVEN` has its parameters.
import { Toolcrib, ToolcribError, type Options } from 'toolcrib';

const { BASE = '', TOKEN = '', WORKSPACE = '', STEP = '', GIVEN = '' } = process.env;

type Given = Record<string, any>;
type Step = (crib: Toolcrib, given: Given) => Promise<unknown>;

function call(id: string, name: string, given: Given) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

function told(error: unknown): Given {
  if (!(error instanceof ToolcribError)) throw error;
  const { status, code, detail, hint = null, errors, call = null, retryAfter = null } = error;
  return { status, code, detail, hint, errors, call, retry_after: retryAfter };
}

async function waiting(crib: Toolcrib, name: string, given: Given): Promise<string> {
  const { results: [result] } = await crib.callTools([call('call_0', name, given)]);
  if (result?.status !== 'confirmation_required') throw new Error(JSON.stringify(result));
  return result.confirmation.id;
}

const steps: Record<string, Step> = {
  async lists(crib) {
    const listed = await crib.listTools({ strategy: 'filtered', query: 'delete an agent', context: ['Which agents are there?'] });
    const messages = await crib.listTools({ format: 'anthropic', detail: 'names', maxTokens: 4000 });
    const found = await crib.searchTools('what did we spend on models', { limit: 2, includeSchema: false });
    return {
      openai: listed.tools.map(tool => tool.function.name), strategy: listed.strategy,
      anthropic: messages.tools.map(tool => tool.name), tool_choice: messages.tool_choice,
      found: found.items.map(item => item.name), schemas: found.items.map(item => 'parameters' in item),
    };
  },

  async calls(crib, given) {
    const turn = await crib.callTools([
      call('call_0', 'platform_list_agents', { limit: 1 }), call('call_1', 'platform_get_agent', { agent: 'nobody' }),
      call('call_2', 'get_weather', {}),
    ], { foreign: 'skip' });
    const write = [call('call_0', 'platform_store_memory', { content: given.text })];
    const first = await crib.callTools(write);
    // Providers number the calls of each turn anew.
    const second = await crib.callTools(write);
    const named = [];
    for (let n = 0; n < 2; n++) named.push(await crib.callTools(write, { idempotencyKey: given.key }));
    const action = await crib.callAction('platform_list_agents', { limit: 1 });
    return {
      statuses: turn.results.map(result => result.status), messages: turn.messages.map(message => message.tool_call_id),
      unhandled: turn.unhandled.map(left => left.name),
      replayed: [first, second, ...named].flatMap(one => one.results)
        .flatMap(one => one.status === 'completed' ? [one.replayed] : []),
      action: action.status,
    };
  },

  async decisions(crib, given) {
    const kept = await waiting(crib, 'platform_store_memory', { content: given.texts[0] });
    const changed = await waiting(crib, 'platform_store_memory', { content: given.texts[1] });
    const open = await crib.listConfirmations({ status: 'open', session: given.session, decidable: true });
    const denied = await crib.deny(kept, { reason: 'not this one' });
    const approved = await crib.approve(changed, { arguments: { content: given.other } });
    if (approved.status !== 'completed') throw new Error(JSON.stringify(approved));
    const ended = await crib.getConfirmation(changed, { wait: 1 });
    return {
      open: open.items.map(item => item.id).sort().join() === [kept, changed].sort().join(), denied: denied.status,
      reason: denied.reason, approved: approved.status, granted_by: approved.granted_by, memory: approved.data.content,
      ended: ended.status, messages: (ended.messages ?? []).map(message => message.tool_call_id),
    };
  },

  async typed(crib, given) {
    const confirmation = await waiting(crib, 'platform_delete_agent', { agent: given.agent });
    const first = await crib.approve(confirmation);
    if (first.status !== 'phrase_required') throw new Error(JSON.stringify(first));
    const wrong = await crib.approve(confirmation, { phrase: 'something else' }).then(() => '', error => told(error).code);
    const second = await crib.approve(confirmation, { phrase: first.phrase });
    return { phrase: first.phrase, wrong, status: second.status };
  },

  async outcomes(crib) {
    const turn = await crib.callTools([
      call('call_0', 'orion__get_emails', { query: 'budget' }), call('call_1', 'orion__create_task', { title: 'Call back' }),
    ]);
    const [read, write] = turn.results;
    if (read?.status !== 'client_execution_required' || write?.status !== 'confirmation_required')
      throw new Error(JSON.stringify(turn));
    const toRun = await crib.approve(write.confirmation.id);
    if (toRun.status !== 'client_execution_required') throw new Error(JSON.stringify(toRun));
    const listed = await crib.listCalls({ open: true, mine: true, limit: 100 });
    const claimed = await crib.claimCall(toRun.call_id);
    const again = await crib.claimCall(toRun.call_id).then(() => '', error => told(error).code);
    const ended = await crib.reportOutcome(toRun.call_id, 'succeeded', { output: { id: 't-1' } });
    const now = await crib.getCall(toRun.call_id, { wait: 1 });
    const reported = await crib.reportOutcomes([
      { action: 'orion__get_emails', tool_call_id: 'call_0', status: 'failed', error: 'the mailbox is closed' },
    ]);
    return {
      claim: [read.claim, toRun.claim], listed: listed.items.some(item => item.call_id === toRun.call_id),
      arguments: claimed.arguments, again, ended: ended.state, now: now.state,
      messages: [...now.messages ?? [], ...reported.messages].map(message => message.tool_call_id),
    };
  },

  /** Prints each event as it comes, until there are as many as were asked for. */
  async events(crib, given) {
    let wanted: number = given.count;
    const { types, session, last_event_id: lastEventId } = given;
    for await (const { id, type, data } of crib.events({ types, session, lastEventId })) {
      console.log(JSON.stringify({ id, type, data }));
      if (--wanted === 0) break;
    }
    return null;
  },

  /** What each request raises: a list of method, path and body. */
  async failures(crib, given) {
    const raised = [];
    for (const [method, path, body] of given.requests)
      raised.push(await crib.request(method, path, body).then(answer => ({ answer }), told));
    return raised;
  },

  /** What methods return or raise. */
  async methods(crib, given) {
    const asked: Record<string, () => Promise<unknown>> = {
      list: () => crib.listTools(),
      calls: () => crib.callTools([call('call_0', 'platform_list_agents', {})]),
      action: () => crib.callAction('platform_list_agents'),
      approve: () => crib.approve('a/b'),
      claim: () => crib.claimCall('c1'),
      outcome: () => crib.reportOutcome('c1', 'not_run', { error: 'no paper' }),
      confirmations: () => crib.listConfirmations({ mine: true }),
    };
    const ends = [];
    for (const name of given.methods) ends.push(await asked[name]!().then(answer => ({ answer }), told));
    return ends;
  },

  /** What the other clients of one client send, which the product's stand-in answers with. */
  async options(crib) {
    const turns = ['first', 'second'][Symbol.iterator]();
    const token: Options['token'] = async () => turns.next().value ?? '';
    const other = crib.withOptions({ token, session: 'talk-2', onBehalfOf: 'somebody', callerType: 'chat' });
    const answers = [];
    for (const who of [other, other, crib]) answers.push(await who.request('GET', '/v1/me'));
    return answers;
  },
};

/** Answers with this stream, in pieces of one byte. */
function bytewise(text: string): typeof fetch {
  return async () => new Response(new ReadableStream({
    start(controller) {
      for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte));
    },
  }));
}

const given: Given = JSON.parse(GIVEN);
const crib = new Toolcrib({
  baseUrl: BASE, token: TOKEN, workspace: WORKSPACE, session: given.session, retrySeconds: given.retry_seconds,
  fetch: given.stream && bytewise(given.stream),
});
console.log(JSON.stringify(await steps[STEP]!(crib, given)));

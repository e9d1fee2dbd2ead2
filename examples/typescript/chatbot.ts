// A chatbot whose tools are Toolcrib's: the Vercel AI SDK, and any provider that speaks Chat Completions.
import { createInterface } from 'node:readline';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, streamText, tool, type ModelMessage, type ToolSet } from 'ai';
import { Toolcrib, ToolcribError, type ProviderItem, type Waiting } from 'toolcrib';

const { CRIB_URL = '', CRIB_TOKEN = '', CRIB_WORKSPACE, OPENAI_API_KEY, MODEL = '' } = process.env;
const provider = createOpenAICompatible({
  name: 'provider',
  baseURL: process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
  apiKey: OPENAI_API_KEY,
});
// The token is the user's own, so the model can do what this user can, and no more. A session is one conversation.
const crib = new Toolcrib({
  baseUrl: CRIB_URL, token: CRIB_TOKEN, workspace: CRIB_WORKSPACE, callerType: 'chat', session: crypto.randomUUID(),
});
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** One line of the person at the keyboard; undefined when there are no more. */
async function read(prompt: string): Promise<string | undefined> {
  process.stdout.write(prompt);
  return (await lines.next()).value;
}

/** Lets the person decide a call that waits; returns its final answer as messages. */
async function decide({ description, confirmation }: Waiting): Promise<ProviderItem[]> {
  console.log(`\n! ${description}: ${confirmation.warning}`);
  for (const { label, value } of confirmation.summary) console.log(`    ${label}: ${value}`);
  try {
    if ((await read('  approve? [y/N] '))?.trim().toLowerCase() !== 'y') {
      await crib.deny(confirmation.id, { reason: 'the user said no' });
    } else {
      await approve(confirmation.id);
    }
  } catch (refused) {
    // Somebody else must decide it, or has decided it, or it has expired.
    if (!(refused instanceof ToolcribError && [403, 409, 410].includes(refused.status))) throw refused;
  }
  // Without a decision, or with one that somebody else must take, there is nothing to replace.
  return (await crib.getConfirmation(confirmation.id)).messages ?? [];
}

/** Approves a call for the person at the keyboard. */
async function approve(confirmation: string): Promise<void> {
  let answer = await crib.approve(confirmation);
  // What can't be undone asks a second time: the first answer says which phrase has to be typed.
  while (answer.status === 'phrase_required') {
    const phrase = await read(`  type ${answer.phrase} to go on: `);
    if (phrase === undefined) return;
    try {
      answer = await crib.approve(confirmation, { phrase });
    } catch (refused) {
      // With another phrase the person may try again.
      if (!(refused instanceof ToolcribError && refused.status === 422)) throw refused;
    }
  }
}

/** Passes the model's calls through unchanged; each gets an answer, whatever happened to it. */
async function run(calls: { toolCallId: string; toolName: string; input: unknown }[]): Promise<ModelMessage[]> {
  const turn = await crib.callTools(calls.map(({ toolCallId: id, toolName: name, input }) =>
    ({ id, type: 'function', function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) } })));
  const final = new Map<string, ProviderItem>();
  for (const result of turn.results)
    if (result.status === 'confirmation_required')
      for (const answer of await decide(result)) final.set(answer.tool_call_id, answer);
  return turn.messages.map((answer, index) => ({
    role: 'tool',
    content: [{
      type: 'tool-result', toolCallId: answer.tool_call_id, toolName: calls[index].toolName,
      output: { type: 'text', value: (final.get(answer.tool_call_id) ?? answer).content },
    }],
  }));
}

/** One message of the user: tools for it, then model and tools in turn until the model has its answer. */
async function reply(messages: ModelMessage[], said: string[], text: string): Promise<void> {
  const listed = await crib.listTools({ strategy: 'filtered', query: text, context: said.slice(-6) });
  const tools: ToolSet = Object.fromEntries(listed.tools.map(({ function: { name, description, parameters } }) =>
    [name, tool({ description, inputSchema: jsonSchema(parameters) })]));
  messages.push({ role: 'user', content: text });
  for (let round = 0; round < 10; round++) {
    const result = streamText({ model: provider(MODEL), messages, tools,
      instructions: 'You help people run their workspace. Use the tools; never make up ids or figures.' });
    for await (const piece of result.textStream) process.stdout.write(piece);
    console.log();
    // What the SDK says itself to a call that it can't make sense of is left out: Toolcrib's answer says how to mend it.
    messages.push(...(await result.responseMessages).filter(({ role }) => role === 'assistant'));
    const calls = await result.toolCalls;
    if (calls.length === 0) return void said.push(text, await result.text);
    messages.push(...await run(calls));
  }
  console.log('I stopped after ten rounds of tools.');
}

const conversation: ModelMessage[] = [], said: string[] = [];
for (let text; (text = await read('\n> ')) !== undefined;) await reply(conversation, said, text);

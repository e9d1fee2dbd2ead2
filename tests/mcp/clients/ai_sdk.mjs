// The Vercel AI SDK's MCP client, in a loop with a scripted model.
import { createMCPClient } from '@ai-sdk/mcp';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { headers, report, url } from './service.mjs';

const client = await createMCPClient({ transport: { type: 'http', url: url.href, headers } });
const tools = await client.tools();
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const calls = [
  ['platform_create_agent', { name: 'From a loop' }],
  ['platform_get_agent', { agent: 'From a loop' }],
  ['platform_execute', { action: 'platform_delete_agent', params: { agent: 'From a loop' } }],
];
let seen = [];
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt, tools: offered }) => {
    seen = offered.map((tool) => tool.name);
    const turn = prompt.filter((message) => message.role === 'tool').length;
    if (turn === calls.length) {
      return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] };
    }
    const [toolName, input] = calls[turn];
    const call = { type: 'tool-call', toolCallId: `call_${turn}`, toolName, input: JSON.stringify(input) };
    return { content: [call], finishReason: { unified: 'tool-calls' }, usage, warnings: [] };
  },
});
const { text, steps } = await generateText({ model, tools, prompt: 'Make an agent', stopWhen: isStepCount(6) });
const results = steps.flatMap((step) => step.toolResults.map((result) => result.output));
report({ tools: Object.keys(tools), seen, text, results });
await client.close();

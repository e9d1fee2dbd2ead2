// LangChain's adapter: the tools that an agent gets.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { headers, report, url } from './service.mjs';

const client = new MultiServerMCPClient({
  throwOnLoadError: true,
  mcpServers: { toolcrib: { transport: 'http', url: url.href, headers } },
});
const tools = await client.getTools();
const tool = (name) => tools.find((one) => one.name === name);
const read = (answer) => JSON.parse(typeof answer === 'string' ? answer : answer.text);
const made = read(await tool('platform_create_agent').invoke({ name: 'From a chain' }));
let refused = null;
try {
  await tool('platform_execute').invoke({ action: 'platform_delete_agent', params: { agent: 'From a chain' } });
} catch (fault) { refused = fault.message; }
report({ tools: tools.map((one) => one.name), made, refused });
await client.close();

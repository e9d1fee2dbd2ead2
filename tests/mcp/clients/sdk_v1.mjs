// The official TypeScript SDK, version 1: revision 2025-11-25.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { approve, headers, report, told, url } from './service.mjs';

const client = new Client({ name: 'test', version: '1' });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
const { tools } = await client.listTools();
const call = (name, args) => client.callTool({ name, arguments: args });
const made = await call('platform_create_agent', { name: 'First line' });
const read = await call('platform_get_agent', { agent: 'First line' });
const wrong = await call('platform_get_agent', { agent: 'Nobody at all' });
const remove = { action: 'platform_delete_agent', params: { agent: 'First line' } };
const waiting = await call('platform_execute', remove);
const again = await call('platform_execute', remove);
const ran = await approve(told(waiting).approve_url);
const gone = await call('platform_get_agent', { agent: 'First line' });
let unknown = null;
try { await call('platform_nothing', {}); } catch (fault) { unknown = fault.code; }
report({
  tools: tools.map((tool) => tool.name), made: told(made).data.name, read: told(read).data.name,
  wrong: [wrong.isError, told(wrong).error], waiting: told(waiting), again: told(again), ran: ran.status,
  gone: told(gone).error, unknown,
});
await client.close();

// The official TypeScript SDK, version 2: revision 2026-07-28. It answers `input_required` itself and repeats
// the call.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { approve, headers, report, told, url } from './service.mjs';

const asked = [];
const client = new Client({ name: 'test', version: '1' }, {
  versionNegotiation: { mode: { pin: '2026-07-28' } },
  capabilities: { elicitation: { url: {} } },
});
client.setRequestHandler('elicitation/create', async ({ params }) => {
  asked.push(params.mode);
  // The first time, the client comes back before anybody has decided.
  if (asked.length === 2) await approve(params.url);
  return { action: 'accept' };
});
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
const { tools } = await client.listTools();
const call = (name, args) => client.callTool({ name, arguments: args });
const made = await call('platform_create_agent', { name: 'Second line' });
const done = await call('platform_execute', { action: 'platform_delete_agent', params: { agent: 'Second line' } });
const gone = await call('platform_get_agent', { agent: 'Second line' });
report({
  version: client.getNegotiatedProtocolVersion?.(), tools: tools.map((tool) => tool.name),
  made: told(made).data.name, asked, done: told(done).status, deleted: told(done).data.deleted,
  gone: told(gone).error,
});
await client.close();

// Adds a bearer token and a workspace to every request, because the conformance suite can't send them.
// usage: node proxy.mjs TARGET TOKEN WORKSPACE; prints the address that it listens on.
import http from 'node:http';

const [target, token, workspace] = process.argv.slice(2);
const { hostname, port } = new URL(target);

const server = http.createServer((request, response) => {
  // `Host` and `Origin` stay as the client sent them, because the service checks them.
  const headers = { ...request.headers, authorization: `Bearer ${token}`, 'x-workspace-id': workspace };
  const onward = http.request({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

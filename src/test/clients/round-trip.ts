// A round trip with a client whose types are generated from the OpenAPI document.
// Compilation is part of the check. It fails if the document does not mark required fields.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from './build/schema.js';

const baseUrl = process.env['OKR_BASE_URL']?.replace(/\/+$/, '');
const apiKey = process.env['OKR_API_KEY'];
assert.ok(baseUrl && apiKey, 'OKR_BASE_URL and OKR_API_KEY must be set');

const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: `Bearer ${apiKey}` },
  fetch: (request) => fetch(request, { signal: AbortSignal.timeout(15_000) }),
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a response with the expected status. */
function expect<T>(status: number, answer: Answer<T>): T {
  const { data, error, response } = answer;
  assert.equal(response.status, status, `${response.url}: ${response.status} ${JSON.stringify(error)}`);
  assert.ok(data !== undefined, `${response.url}: no body`);
  return data;
}

const ok = (what: string) => console.log(`ok - ${what}`);
const mark = new Date().toISOString();

const cycle = expect(
  201,
  await client.POST('/v1/cycles', {
    body: {
      name: `Round trip ${mark}`,
      starts_at: '2031-01-01T00:00:00Z',
      ends_at: '2031-04-01T00:00:00Z',
    },
  }),
).data;
assert.match(cycle.id, /^cyc_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
assert.equal(cycle.status, 'planned');
ok('a cycle is created');

const created = await client.POST('/v1/objectives', {
  body: { title: `Round trip ${mark}`, cycle_id: cycle.id },
});
const objective = expect(201, created).data;
assert.match(objective.id, /^obj_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
assert.equal(objective.cycle_id, cycle.id);
assert.equal(objective.status, 'not_started');
assert.equal(objective.progress, 0);
assert.equal(created.response.headers.get('Location'), `/v1/objectives/${objective.id}`);
ok('an objective is created in it');

const keyResult = expect(
  201,
  await client.POST('/v1/objectives/{id}/key-results', {
    params: { path: { id: objective.id } },
    body: { title: 'From 0 to 10', metric_type: 'number', start_value: 0, target_value: 10 },
  }),
).data;
assert.equal(keyResult.objective_id, objective.id);
assert.equal(keyResult.current_value, 0);
assert.equal(keyResult.progress, 0);
ok('a key result from 0 to 10 is created');

const checkIn = expect(
  201,
  await client.POST('/v1/key-results/{id}/check-ins', {
    params: { path: { id: keyResult.id } },
    body: { value: 5, note: 'Half way' },
  }),
).data;
assert.equal(checkIn.key_result_id, keyResult.id);
assert.equal(checkIn.value, 5);
assert.equal(checkIn.note, 'Half way');
ok('a check-in of 5 is recorded');

const read = expect(
  200,
  await client.GET('/v1/objectives/{id}', { params: { path: { id: objective.id } } }),
).data;
const progress: number = read.progress;
assert.equal(progress, 0.5);
assert.equal(read.key_results.length, 1);
assert.equal(read.key_results[0]?.id, keyResult.id);
assert.equal(read.key_results[0]?.current_value, 5);
assert.equal(read.key_results[0]?.progress, 0.5);
ok('the objective reads back with a progress of 0.5');

const list = expect(
  200,
  await client.GET('/v1/objectives', {
    params: { query: { cycle_id: cycle.id, page: 1, per_page: 10 } },
  }),
);
assert.deepEqual(list.data.map((item) => item.id), [objective.id]);
assert.equal(list.meta.page, 1);
assert.equal(list.meta.per_page, 10);
assert.equal(list.meta.total, 1);
ok('objectives are listed by cycle');

const untitled = await client.POST('/v1/objectives', {
  // @ts-expect-error: the generated types know that a title is required
  body: { cycle_id: cycle.id },
});
assert.equal(untitled.response.status, 422);
assert.match(untitled.response.headers.get('Content-Type') ?? '', /^application\/problem\+json\b/);
assert.ok(untitled.error);
const status: number = untitled.error.status;
const code: string = untitled.error.code;
const first = untitled.error.errors?.[0];
assert.equal(status, 422);
assert.equal(code, 'validation_failed');
assert.ok(first);
const pointer: string = first.pointer;
assert.equal(pointer, '/title');
assert.equal(first.code, 'required');
ok('a body without a title gets a typed problem that points to /title');

const wrongMetric = await client.POST('/v1/objectives/{id}/key-results', {
  params: { path: { id: objective.id } },
  // @ts-expect-error: the generated types know the metric types
  body: { title: 'Speed', metric_type: 'furlongs', start_value: 0, target_value: 1 },
});
assert.equal(wrongMetric.response.status, 422);
assert.equal(wrongMetric.error?.errors?.[0]?.pointer, '/metric_type');
ok('an unknown metric type gets one that points to /metric_type');

const deleted = expect(
  200,
  await client.DELETE('/v1/objectives/{id}', { params: { path: { id: objective.id } } }),
).data;
assert.equal(deleted.id, objective.id);
assert.equal(deleted.deleted, true);
ok('the objective is deleted');

const gone = await client.GET('/v1/objectives/{id}', { params: { path: { id: objective.id } } });
assert.equal(gone.response.status, 404);
assert.equal(gone.error?.code, 'not_found');
ok('and is gone: 404 with a typed problem');

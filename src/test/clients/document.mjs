// Fetches the OpenAPI document of the running service into build/.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { apiKey, baseUrl } from './environment.mjs';

async function get(path, headers = {}) {
  const response = await fetch(baseUrl + path, { headers, signal: AbortSignal.timeout(30_000) });
  assert.equal(response.status, 200, `GET ${path}: ${response.status}\n${await response.clone().text()}`);
  return response;
}

const yaml = await (await get('/q/openapi')).text();
await mkdir('build', { recursive: true });
await writeFile('build/openapi.yaml', yaml);
console.log('ok - the OpenAPI document is served as YAML');

const document = await (await get('/q/openapi?format=json')).json();
assert.match(document.openapi, /^3\.1\./);
assert.equal(document.components?.securitySchemes?.apiKey?.type, 'http');
assert.equal(document.components.securitySchemes.apiKey.scheme.toLowerCase(), 'bearer');
const paths = Object.keys(document.paths ?? {});
assert.ok(paths.length > 0, 'the document has no paths');
assert.deepEqual(paths.filter((path) => !path.startsWith('/v1/')), [], 'paths outside /v1');
console.log(`ok - and as JSON: OpenAPI ${document.openapi}, ${paths.length} paths, a bearer scheme`);

await get('/v1/users/me', { Authorization: `Bearer ${apiKey}` });
console.log('ok - OKR_API_KEY is accepted');

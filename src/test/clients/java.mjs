// Tests the Java client: its generated sources are current, and its own tests pass with the running service.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { baseUrl } from './environment.mjs';

const root = resolve(import.meta.dirname, '../../..');
const build = resolve(import.meta.dirname, 'build');

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  assert.ifError(error);
  assert.equal(status, 0, `${command} ${args.join(' ')}`);
}

const response = await fetch(`${baseUrl}/q/openapi?format=json`);
assert.equal(response.status, 200);
await mkdir(build, { recursive: true });
await writeFile(`${build}/openapi.json`, await response.text());
run(process.execPath, 'clients/java/generate.mjs', `${build}/openapi.json`, '--check');

run('./mvnw', '-q', '-B', '-ntp', '-f', 'clients/java/pom.xml', 'clean', 'package');
const reports = `${root}/clients/java/target/surefire-reports`;
const report = (await readdir(reports)).find((name) => name.endsWith('ClientTest.xml'));
for (const [, name] of (await readFile(`${reports}/${report}`, 'utf8')).matchAll(/<testcase name="(\w+)/g)) {
  console.log(`ok - ${name}`);
}
await copyFile(`${root}/clients/java/target/okr-client-1.0.0.jar`, `${build}/okr-client-1.0.0.jar`);
console.log('ok - build/okr-client-1.0.0.jar');

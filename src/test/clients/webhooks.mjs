// Runs the receivers of docs/webhooks.md as documented. The Java receiver has a test in the service's build.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomInt } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

const guide = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
const folder = 'build/webhooks';
const secret = { text: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', key: Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64') };
const other = { text: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX', key: Buffer.from('AAECAwQFBgcICQoLDA0ODxAREhMUFRYX', 'base64') };
const raw = { text: 'näher am Kunden: 客户', key: Buffer.from('näher am Kunden: 客户', 'utf8') };
const id = 'evt_01k9m2x7q4e8rvb3t5w6y0zac7';
const body = JSON.stringify({ type: 'objective.updated', data: { title: 'Größer werden' } });

const timestamp = String(Math.floor(Date.now() / 1000));
const sign = ({ key }) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

/** The first code block of the guide in a language. */
function recipe(language) {
  const found = guide.match(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``));
  assert.ok(found, `docs/webhooks.md has no recipe in ${language}`);
  return found[1];
}

async function typescript() {
  await writeFile(`${folder}/receiver.ts`, recipe('ts'));
  const compilerOptions = { rootDir: '.', outDir: '.' };
  await writeFile(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, files: ['receiver.ts'] }),
  );
  execFileSync('node_modules/.bin/tsc', ['--project', folder], { stdio: 'inherit' });
  return ['node', `${folder}/receiver.js`];
}

async function python() {
  await writeFile(`${folder}/receiver.py`, recipe('python'));
  const installed = spawnSync('python3', ['-c', 'import standardwebhooks']).status === 0;
  return installed ? ['python3', `${folder}/receiver.py`] : undefined;
}

/** A port below the range for client connections, so that no client takes it before the receiver starts. */
async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, () => server.close(() => resolve(true)));
    });
    if (isFree) {
      return port;
    }
  }
}

/** Starts a receiver with one secret, and passes a function that sends requests to it. */
async function receiving([command, ...parameters], { text }, checks) {
  const port = await freePort();
  const receiver = spawn(command, parameters, {
    env: { ...process.env, WEBHOOK_SECRET: text, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const post = async (signature, sent = body) => {
    const response = await fetch(`http://127.0.0.1:${port}/hooks/okr`, {
      method: 'POST',
      headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
      body: sent,
      signal: AbortSignal.timeout(15_000),
    });
    return response.status;
  };
  const started = async () => {
    for (let i = 0; i < 100; i += 1) {
      try {
        return await post('v1,');
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    throw new Error(`${command}: the receiver does not start`);
  };
  try {
    await started();
    await checks(post);
  } finally {
    receiver.kill();
  }
}

async function check(language, command) {
  await receiving(command, secret, async (post) => {
    assert.equal(await post(sign(secret)), 204, 'signed');
    assert.equal(await post(sign(secret), body.replace('ö', 'oe')), 401, 'changed');
    assert.equal(await post(sign(other)), 401, 'signed with another secret');
    assert.equal(await post(`${sign(other)} ${sign(secret)}`), 204, 'signed with two secrets');
  });
  console.log(`ok - the receiver in ${language} takes what was signed with its secret, also after a rotation`);
  await receiving(command, raw, async (post) => {
    assert.equal(await post(sign(raw)), 204, 'signed');
    assert.equal(await post(sign(secret)), 401, 'signed with another secret');
  });
  console.log(`ok - the receiver in ${language} takes a secret without the prefix`);
}

await mkdir(folder, { recursive: true });
await check('TypeScript', await typescript());
const command = await python();
if (command) {
  await check('Python', command);
} else {
  console.log('skipped - the receiver in Python: standardwebhooks is not installed');
}

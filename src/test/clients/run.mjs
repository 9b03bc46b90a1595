// Runs all checks in order and stops at the first failure.
import { spawn } from 'node:child_process';
import './environment.mjs';

const seconds = 1000;
const steps = [
  { script: 'document', limit: 60 * seconds, counts: true },
  { script: 'lint:spectral', limit: 120 * seconds },
  { script: 'lint:redocly', limit: 120 * seconds },
  { script: 'types', limit: 180 * seconds },
  { script: 'round-trip', limit: 120 * seconds, counts: true },
  { script: 'guide', limit: 120 * seconds, counts: true },
  { script: 'quarter', limit: 120 * seconds, counts: true },
  { script: 'webhooks', limit: 120 * seconds, counts: true },
  { script: 'assistant', limit: 60 * seconds, counts: true },
  { script: 'conformance', limit: 120 * seconds, counts: true },
  { script: 'typescript', limit: 180 * seconds, counts: true },
  { script: 'java', limit: 300 * seconds, counts: true },
  { script: 'swagger-ui', limit: 920 * seconds, counts: true },
];

let child;
function stop(signal) {
  if (child?.pid) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // the process has already ended
    }
  }
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stop(signal);
    process.exit(1);
  });
}

/** Runs an npm script in its own process group, with a time limit. */
function run({ script, limit }) {
  return new Promise((resolve) => {
    let output = '';
    child = spawn('npm', ['run', '--silent', script], {
      cwd: import.meta.dirname,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' },
    });
    child.stdout.on('data', (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    const timers = [
      setTimeout(() => {
        console.error(`${script}: not finished after ${limit / seconds} s`);
        stop('SIGTERM');
      }, limit),
      setTimeout(() => stop('SIGKILL'), limit + 10 * seconds),
    ];
    const done = (code) => {
      timers.forEach(clearTimeout);
      resolve({ code, checks: output.match(/^ok - /gm)?.length ?? 0 });
    };
    child.on('error', (error) => {
      console.error(error.message);
      done(1);
    });
    child.on('close', done);
  });
}

let passed = 0;
for (const step of steps) {
  console.log(`\n== ${step.script}`);
  const { code, checks } = await run(step);
  passed += checks;
  if (code !== 0 || (step.counts && checks === 0)) {
    console.log(`not ok - ${step.script}`);
    console.log(`\n${passed} passed, 1 failed`);
    process.exit(1);
  }
  if (!step.counts) {
    passed += 1;
    console.log(`ok - ${step.script}`);
  }
}
console.log(`\n${passed} passed, 0 failed`);

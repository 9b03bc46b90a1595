// Runs the examples of docs/api.md. All examples of a language are one program, in the order of the document.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import './environment.mjs';

const guide = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const folder = 'build/guide';
const options = { encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'inherit'] };

/** All code blocks of a language. */
function program(language) {
  const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))];
  assert.ok(blocks.length > 1, `docs/api.md has no examples in ${language}`);
  return blocks.map((block) => block[1]).join('\n');
}

async function typescript() {
  // The export makes it a module, so that it can await.
  await writeFile(`${folder}/guide.ts`, `${program('ts')}\nexport {};\n`);
  await writeFile(
    `${folder}/tsconfig.json`,
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: { rootDir: '.', outDir: '.', noUnusedLocals: false },
      files: ['guide.ts'],
    }),
  );
  execFileSync('node_modules/.bin/tsc', ['--project', folder], { stdio: 'inherit' });
  return execFileSync('node', [`${folder}/guide.js`], options);
}

async function python() {
  await writeFile(`${folder}/guide.py`, program('python'));
  return execFileSync('python3', [`${folder}/guide.py`], options);
}

/** Every example prints what it did. */
function check(language, output) {
  for (const expected of [
    /^This is the key of .+, who is admin\.$/m,
    /^\d+ ?% .+\n {4}\S+ of \S+: /m,
    /^The copy has [1-9]\d* objectives\./m,
    /^Two requests created one objective: [tT]rue$/m,
    /^Somebody else changed the objective first\.$/m,
    /^Restored: Answer every request of a partner within a day$/m,
    /^One request created 2 objectives\.$/m,
    /^The import created [03] check-ins\.$/m,
    /^\/title: .+$/m,
  ]) {
    assert.match(output, expected, language);
  }
  console.log(`ok - the examples of docs/api.md in ${language} run`);
}

await mkdir(folder, { recursive: true });
check('TypeScript', await typescript());
check('Python', await python());

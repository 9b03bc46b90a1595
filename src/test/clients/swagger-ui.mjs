// Uses Swagger UI in a real browser: Authorize, then Execute for each operation, as Swagger UI fills it in. It needs a
// new demonstration, because the examples name its resources.
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { apiKey, baseUrl } from './environment.mjs';

const screenshots = 'build/screenshots';
const screen = { width: 1280, height: 1000 };
const origin = new URL(baseUrl).origin;
const ok = (what) => console.log(`ok - ${what}`);

// The time limit of the script. Playwright stops the browser with the process.
setTimeout(() => {
  console.error('swagger-ui: not finished after 900 s');
  process.exit(1);
}, 900_000).unref();

await rm(screenshots, { recursive: true, force: true });
await mkdir(screenshots, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  timeout: 30_000,
  headless: true,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const context = await browser.newContext({ viewport: screen });
const page = await context.newPage();
// Swagger UI renders a large response slowly while other tests use the processors.
page.setDefaultTimeout(60_000);
const pageErrors = [];
page.on('pageerror', (error) => pageErrors.push(error.message));
// Blocks other hosts. Swagger UI may request a validator badge.
await context.route(
  (url) => url.origin !== origin && !['data:', 'blob:'].includes(url.protocol),
  (route) => route.abort(),
);

let shots = 0;
async function screenshot(name, subject = page) {
  shots += 1;
  await subject.screenshot({ path: `${screenshots}/${shots}-${name}.png` });
}

/** The operations in the order of the document, then those that delete in reverse order, then the restoration. */
async function operations() {
  const response = await fetch(`${baseUrl}/q/openapi?format=json`, { signal: AbortSignal.timeout(15_000) });
  const { paths } = await response.json();
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })));
  const deletions = all.filter(({ method }) => method === 'delete').reverse();
  const restorations = all.filter(({ operationId }) => operationId === 'restoreObjective');
  const last = [...deletions, ...restorations];
  return [...all.filter((operation) => !last.includes(operation)), ...last];
}

/** Clicks Execute until there is an answer. A click is lost if React replaces the button at that moment. */
async function answerOf(block, method, attempts) {
  const answered = page.waitForResponse(
    (response) =>
      response.request().method() === method.toUpperCase() && new URL(response.url()).pathname.startsWith('/v1/'),
    { timeout: 20_000 },
  );
  await click(block.locator('.btn.execute'));
  try {
    return await answered;
  } catch (error) {
    if (attempts === 1) {
      throw error;
    }
    return answerOf(block, method, attempts - 1);
  }
}

/** Clicks Execute. Returns the answer, when the page shows its status. */
async function execute(block, method) {
  const response = await answerOf(block, method, 3);
  await block
    .locator('.live-responses-table tr.response .response-col_status')
    .filter({ hasText: String(response.status()) })
    .waitFor();
  return response;
}

/** Shows only the operations of a tag, because Swagger UI renders all that it shows after each click. */
async function filterBy(tag) {
  const filter = page.locator('.operation-filter-input');
  if ((await filter.inputValue()) !== tag) {
    await filter.fill(tag);
    await page.locator(`.opblock-tag:not([data-tag="${tag}"])`).waitFor({ state: 'detached' });
  }
}

/** Clicks without waiting for the element to stop moving. */
const click = (locator) => locator.evaluate((element) => element.click());

/** Opens an operation and executes it with each of its examples, without filling in anything. */
async function tryAll({ method, operationId, tags: [tag] }) {
  await filterBy(tag);
  const block = page.locator(`[id="operations-${tag.replaceAll(' ', '_')}-${operationId}"]`);
  await click(block.locator('.opblock-summary-control'));
  await block.locator('.btn.execute').waitFor();
  const { height } = await block.boundingBox();
  assert.ok(height <= 2 * screen.height, `${operationId}: ${height} pixels are more than two screens`);
  const select = block.locator('.opblock-section-request-body .examples-select-element');
  const examples = (await select.count()) > 0
    ? await select.locator('option').evaluateAll((options) => options.map((option) => option.value))
    : [undefined];
  for (const example of examples) {
    if (example !== undefined) {
      await select.selectOption(example);
    }
    const response = await execute(block, method);
    const what = `${operationId} ${example ?? ''}: ${response.request().method()} ${response.url()}`;
    assert.ok(response.ok(), `${what}\n${response.request().postData()}\n${response.status()} ${await response.text()}`);
    assert.ok(!new URL(response.url()).searchParams.has('page'), `${what}: the page is filled in`);
  }
  if (['createObjective', 'listObjectives'].includes(operationId)) {
    await screenshot(operationId, block);
  }
  await click(block.locator('.opblock-summary-control'));
  return examples.length;
}

try {
  await page.goto(`${baseUrl}/q/swagger-ui/`, { waitUntil: 'domcontentloaded' });
  await page.locator('#operations-tag-Objectives').waitFor();
  const tags = await page.locator('.opblock-tag[data-tag]').evaluateAll((elements) => elements.map((e) => e.dataset.tag));
  assert.ok(tags.includes('Cycles') && tags.includes('Objectives'), `tags: ${tags}`);
  assert.equal(await page.locator('.swagger-ui .errors-wrapper').count(), 0, 'Swagger UI reports errors in the document');
  const { y } = await page.locator('.auth-wrapper .btn.authorize').boundingBox();
  assert.ok(y < screen.height, `Authorize is at ${y}, below the first screen`);
  await screenshot('opened');
  ok(`Swagger UI opens with Authorize on the first screen and shows ${tags.length} tags`);

  for (const guide of await page.locator('.information-container a[href^="/guides/"]').all()) {
    const response = await fetch(new URL(await guide.getAttribute('href'), baseUrl));
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<h1 id="/);
  }
  ok('the links to the guides work');

  await page.locator('.auth-wrapper .btn.authorize').click();
  const scheme = page.locator('.modal-ux .auth-container').filter({ hasText: 'apiKey' });
  await scheme.locator('input').fill(apiKey);
  await scheme.locator('button.authorize').click();
  await scheme.getByRole('button', { name: /^(Remove authorization|Logout)$/ }).waitFor();
  await screenshot('authorized');
  await page.locator('.modal-ux .btn-done').click();
  await page.locator('.auth-wrapper .btn.authorize.locked').waitFor();
  ok('Authorize takes the key for the scheme apiKey');

  const all = await operations();
  let executions = 0;
  for (const operation of all) {
    executions += await tryAll(operation);
  }
  ok(`${all.length} operations succeed as they are filled in, ${executions} executions`);

  assert.deepEqual(pageErrors, []);
  ok('no script error on the page');
} catch (error) {
  await screenshot('failed').catch(() => {});
  pageErrors.forEach((message) => console.error(`on the page: ${message}`));
  throw error;
} finally {
  await browser.close();
}

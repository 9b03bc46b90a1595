// Uses Swagger UI in a real browser: Authorize, Try it out, Execute.
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { apiKey, baseUrl } from './environment.mjs';

const screenshots = 'build/screenshots';
const origin = new URL(baseUrl).origin;
const title = `Seen in Swagger UI ${new Date().toISOString()}`;
const ok = (what) => console.log(`ok - ${what}`);

// The time limit of the script. Playwright stops the browser with the process.
setTimeout(() => {
  console.error('swagger-ui: not finished after 120 s');
  process.exit(1);
}, 120_000).unref();

async function api(method, path) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(15_000),
  });
  assert.equal(response.status, 200, `${method} ${path}: ${response.status}`);
  return response.json();
}

const cycle = (await api('GET', '/v1/cycles?per_page=1')).data[0];
assert.ok(cycle, 'the organisation has no cycle');

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
const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
const page = await context.newPage();
page.setDefaultTimeout(20_000);
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

/** Opens an operation and makes it editable, unless it already is. */
async function tryOut(tag, operationId) {
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  if ((await operation.count()) === 0) {
    await page.locator(`#operations-tag-${tag}`).click();
  }
  await operation.waitFor();
  if (!(await operation.evaluate((element) => element.classList.contains('is-open')))) {
    await operation.locator('.opblock-summary-control').click();
  }
  const button = operation.locator('.try-out__btn:not(.reset)');
  await button.waitFor();
  if (!(await button.evaluate((element) => element.classList.contains('cancel')))) {
    await button.click();
  }
  await operation.locator('.btn.execute').waitFor();
  return operation;
}

/** Clicks Execute. Returns the response and the part that the UI shows. */
async function execute(operation, method) {
  const answered = page.waitForResponse(
    (response) =>
      response.request().method() === method && new URL(response.url()).pathname === '/v1/objectives',
  );
  await operation.locator('.btn.execute').click();
  const response = await answered;
  const live = operation.locator('.live-responses-table tr.response');
  // The previous result stays on the page until the new one arrives.
  await operation.locator('.loading-container').waitFor({ state: 'detached' });
  const status = (await live.locator('.response-col_status').innerText()).trim();
  return { url: new URL(response.url()), status, live };
}

let created;
try {
  await page.goto(`${baseUrl}/q/swagger-ui/`, { waitUntil: 'domcontentloaded' });
  await page.locator('#operations-tag-Objectives').waitFor();
  const tags = await page.locator('.opblock-tag[data-tag]').evaluateAll((elements) => elements.map((e) => e.dataset.tag));
  assert.ok(tags.includes('Cycles') && tags.includes('Objectives'), `tags: ${tags}`);
  assert.equal(await page.locator('.swagger-ui .errors-wrapper').count(), 0, 'Swagger UI reports errors in the document');
  await screenshot('opened');
  ok(`Swagger UI opens and shows ${tags.length} tags`);

  await page.locator('.auth-wrapper .btn.authorize').click();
  const scheme = page.locator('.modal-ux .auth-container').filter({ hasText: 'apiKey' });
  await scheme.locator('input').fill(apiKey);
  await scheme.locator('button.authorize').click();
  await scheme.getByRole('button', { name: /^(Remove authorization|Logout)$/ }).waitFor();
  await screenshot('authorized');
  await page.locator('.modal-ux .btn-done').click();
  await page.locator('.auth-wrapper .btn.authorize.locked').waitFor();
  ok('Authorize takes the key for the scheme apiKey');

  const post = await tryOut('Objectives', 'createObjective');
  await post.locator('textarea.body-param__text').fill(JSON.stringify({ title, cycle_id: cycle.id }, null, 2));
  await screenshot('post-filled', post);
  const creation = await execute(post, 'POST');
  await creation.live.scrollIntoViewIfNeeded();
  await screenshot('post-executed', post);
  const creationText = await creation.live.innerText();
  assert.equal(creation.status, '201', `POST /v1/objectives: ${creation.status}\n${creationText}`);
  created = creationText.match(/"id":\s*"(obj_[0-9a-z]{26})"/)?.[1];
  assert.ok(created && creationText.includes(title), creationText);
  ok('POST /v1/objectives shows 201 and the objective');

  // Uses the values that the UI suggests. They must be valid.
  const get = await tryOut('Objectives', 'listObjectives');
  const offered = await execute(get, 'GET');
  await screenshot('get-executed', get);
  assert.equal(offered.status, '200', `GET ${offered.url}: ${offered.status}\n${await offered.live.innerText()}`);
  ok('GET /v1/objectives shows 200');

  for (const field of await get.locator('.parameters input[type=text]').all()) {
    await field.fill('');
    await field.blur();
  }
  for (const field of await get.locator('.parameters select').all()) {
    await field.selectOption('');
  }
  const filter = get.locator('tr[data-param-name=cycle_id] input');
  await filter.fill(cycle.id);
  await filter.blur();
  const filtered = await execute(get, 'GET');
  assert.deepEqual([...filtered.url.searchParams], [['cycle_id', cycle.id]]);
  assert.equal(filtered.status, '200', `GET ${filtered.url}: ${filtered.status}`);
  await filtered.live.getByText(title).first().waitFor();
  await screenshot('get-filtered', get);
  ok('GET /v1/objectives of the cycle shows 200 and the new objective');

  assert.deepEqual(pageErrors, []);
  ok('no script error on the page');
} catch (error) {
  await screenshot('failed').catch(() => {});
  pageErrors.forEach((message) => console.error(`on the page: ${message}`));
  throw error;
} finally {
  await browser.close();
  if (created) {
    await api('DELETE', `/v1/objectives/${created}`);
  }
}

// Uses the settings console in a real browser as an admin, and checks each page against the rules of axe.
// It needs a service in dev mode, whose provider accepts any listed user without a password.
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { baseUrl, launch, limit, look as lookAt, ok, run, screenshots, signIn } from './chromium.mjs';

const email = process.env.OKR_CONSOLE_EMAIL ?? 'ada@demo.example';
const name = `Seen in the console ${new Date().toISOString()}`;
const address = `${Date.now()}@demo.example`;

limit(300);
await rm(screenshots, { recursive: true, force: true });
const browser = await launch();
let page;
const look = (what) => lookAt(page, what);

async function status(token) {
  const response = await fetch(`${baseUrl}/v1/users/me`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(15_000),
  });
  return response.status;
}

async function becomesUnauthenticated(token) {
  const deadline = Date.now() + 5_000;
  while ((await status(token)) !== 401) {
    assert.ok(Date.now() < deadline, 'a revoked key is still accepted');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Starts a local receiver that answers with a hostile response, and returns its URL. */
async function receiverUrl() {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(500, { 'Content-Type': 'text/html' }).end(`<script>alert('${name}')</script> ${'x'.repeat(300)}`);
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiver.unref();
  return `http://127.0.0.1:${receiver.address().port}/hooks/okr`;
}

/** Checks in on all key results that are due, with the keyboard only. */
async function week() {
  const forms = page.locator('form[data-part]');
  const due = await forms.count();
  await look('week');
  await page.reload();
  if (due === 0) {
    ok('nothing is due');
    return;
  }
  await page.locator('form[data-part] :focus').waitFor();
  await page.keyboard.type('one');
  for (let i = 0; i < due; i++) {
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
  }
  await page.locator('form[data-part] .error', { hasText: 'Enter a number' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('form[data-part]').length === 1);
  await page.getByText('1 left to check in.').waitFor();
  await look('week-invalid');
  await forms.locator('input[name=value]').fill('1');
  await page.keyboard.press('Enter');
  await page.getByText('You are up to date.').waitFor();
  await look('week-saved');
  ok(`${due} check-ins took ${due} numbers and ${due} times Enter`);
}

/** Ctrl+K leads to the search of the list. */
async function search() {
  await page.goto(`${baseUrl}/settings/menu`);
  await page.keyboard.press('Control+k');
  await page.locator('#q:focus').waitFor();
  await page.getByRole('heading', { name: 'Objectives of' }).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('no such objective');
  await page.keyboard.press('Enter');
  await page.getByText('No objective matches these filters.').waitFor();
  await look('objectives-none');

  await page.goto(`${baseUrl}/settings/teams/new`);
  await page.getByLabel('Name').fill(name);
  // The script ignores the key, because the page has a name that would be lost.
  assert.ok(await page.evaluate(() =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }))));
  ok('a key leads to the search');

  await page.goto(`${baseUrl}/settings/overview/objectives`);
  await look('objectives');
  await page.getByRole('link', { name: 'Progress', exact: true }).click();
  await page.getByRole('columnheader', { name: 'Progress' }).and(page.locator('[aria-sort=descending]')).waitFor();
  await look('objectives-sorted');
  ok('the list is sorted');
}

/** The printed overview has one page. */
async function printed() {
  await page.goto(`${baseUrl}/settings/overview`);
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  assert.equal(pdf.match(/\/Type\s*\/Page\b/g).length, 1, 'pages of the printed overview');
  ok('the overview is printed on one page');
}

/** The pages work without scripts. */
async function withoutScripts() {
  const context = await browser.newContext({
    javaScriptEnabled: false, storageState: await page.context().storageState(), viewport: { width: 390, height: 900 },
  });
  const plain = await context.newPage();
  plain.setDefaultTimeout(20_000);
  await plain.goto(`${baseUrl}/settings/overview`);
  await plain.getByLabel('Cycle').selectOption({ index: 1 });
  await plain.getByRole('button', { name: 'Show' }).click();
  await plain.getByRole('link', { name: 'All objectives as a table' }).click();
  await plain.getByLabel('Search').fill('no such objective');
  await plain.getByRole('button', { name: 'Filter' }).click();
  await plain.getByText('No objective matches these filters.').waitFor();
  await plain.getByRole('link', { name: 'New objective' }).click();
  await plain.getByLabel('What do you want to achieve?').fill(name);
  await plain.getByRole('button', { name: 'Add a key result' }).click();
  await plain.getByLabel('What is measured?').last().fill('Guides published');
  await plain.getByLabel('From').last().fill('0');
  await plain.getByLabel('To', { exact: true }).last().fill('12');
  await plain.getByRole('button', { name: 'Create objective' }).click();
  await plain.getByRole('status').filter({ hasText: 'The objective is created.' }).waitFor();
  await plain.getByText('Check in', { exact: false }).locator('visible=true').first().click();
  await plain.getByLabel('New value').fill('3');
  await plain.keyboard.press('Enter');
  await plain.getByText('Why 25%?').waitFor();
  await plain.getByRole('link', { name: 'Delete' }).click();
  await plain.getByRole('button', { name: 'Delete' }).click();
  await plain.getByRole('button', { name: 'Undo' }).click();
  await plain.getByRole('heading', { level: 1, name }).waitFor();
  await context.close();
  ok('without scripts, an objective is created, gets a check-in, is deleted and restored');
}

async function people() {
  await page.getByRole('link', { name: 'People' }).click();
  await look('people');
  await page.getByRole('link', { name: 'Add a person' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Enter an email address.').waitFor();
  await look('person-invalid');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email address').fill(address);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('status').waitFor();
  await look('person');
  await page.getByRole('radio', { name: 'Viewer' }).check();
  await page.getByRole('button', { name: 'Change role' }).click();
  await page.getByText('The role is changed.').waitFor();
  ok('a person is invited and the role is changed');
}

async function teams() {
  await page.getByRole('link', { name: 'Teams' }).click();
  await look('teams');
  await page.getByRole('link', { name: 'New team' }).click();
  await look('team-new');
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create team' }).click();
  await page.getByRole('link', { name: 'Add a member' }).click();
  await look('member-new');
  await page.getByLabel('Name or email address').fill('seen console');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('radio', { name }).check();
  await look('member-found');
  await page.getByRole('button', { name: 'Add member' }).click();
  await page.getByRole('button', { name: 'Make lead' }).click();
  await page.getByRole('button', { name: 'Make member' }).waitFor();
  await look('team');
  await page.getByRole('link', { name: `Remove ${name}` }).click();
  await look('member-remove');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Rename' }).click();
  await look('team-rename');
  await page.getByRole('link', { name: 'Cancel' }).click();
  ok('a team is created and has a lead');
}

/** Looks at the objectives of a team of the demonstration. */
async function teamObjectives() {
  await page.getByRole('link', { name: 'Teams' }).click();
  await page.getByRole('link', { name: 'Growth', exact: true }).click();
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await look('team-objectives');
}

async function deactivation() {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('link', { name: 'Deactivate this person' }).click();
  await look('person-deactivate');
  await page.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Reactivate' }).waitFor();
  await look('person-deactivated');
  ok('a person is deactivated');
}

async function webhooks() {
  const url = await receiverUrl();
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByRole('link', { name: 'New webhook' }).click();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('alert').waitFor();
  await look('webhook-invalid');
  await page.getByLabel('URL').fill(url);
  await page.getByRole('checkbox', { name: 'alignment.deleted' }).check();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const secret = await page.locator('#secret').innerText();
  assert.match(secret, /^whsec_/);
  await look('webhook-secret');
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await look('webhook-new');
  await page.getByRole('button', { name: 'Send a ping' }).click();
  await page.getByRole('button', { name: 'Redeliver' }).waitFor();
  const delivery = page.url();
  for (const deadline = Date.now() + 10_000; !(await page.getByText('status 500').count()); ) {
    assert.ok(Date.now() < deadline, 'the ping was not attempted');
    await page.goto(delivery);
  }
  await look('delivery');
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('The delivery is queued again.').waitFor();
  await page.getByRole('link', { name: url }).click();
  await look('webhook');
  ok('a ping and its outcome are shown');

  await page.getByRole('link', { name: 'Edit' }).click();
  await look('webhook-edit');
  await page.getByRole('checkbox', { name: 'objective.created' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The webhook is changed.').waitFor();
  await page.getByRole('link', { name: 'Rotate the secret' }).click();
  await look('webhook-rotate');
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  assert.notEqual(await page.locator('#secret').innerText(), secret);
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await page.getByRole('link', { name: 'Recover missed events' }).click();
  await look('webhook-recover');
  await page.getByRole('button', { name: 'Recover' }).click();
  await page.getByText('The recovery has started.').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await look('webhook-paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The webhook is active again.').waitFor();
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click();
  await look('webhooks');
  await page.getByRole('link', { name: url }).click();
  await page.getByRole('link', { name: 'Delete' }).click();
  await look('webhook-delete');
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('The webhook is deleted.').waitFor();
  ok('a webhook is created, changed and deleted');
}

/** The audit log says what was changed. A download needs no script. */
async function audit() {
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText(name).first().waitFor();
  await look('audit');
  await page.getByLabel('Action').selectOption('webhook_changed');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('events from alignment.deleted to').first().waitFor();
  await look('audit-filtered');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export as CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  assert.match(csv, /^time,.*\r\n.*,webhook_changed,/);
  ok('the audit log is filtered and exported');
}

const token = () => page.locator('#token').innerText();
const row = () => page.locator('tr').filter({ hasText: name });

await run(browser, async () => {
  page = await signIn(browser, email);
  ok('the provider redirects back to the console');
  await week();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await look('overview');
  await printed();
  await withoutScripts();
  await search();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await look('menu');

  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await look('api-keys');

  await page.getByRole('link', { name: 'New key' }).click();
  await look('api-key-new');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Enter a name.').waitFor();
  assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true');
  await look('api-key-invalid');
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create key' }).click();
  const first = await token();
  await page.getByRole('button', { name: 'Copy' }).waitFor();
  assert.equal(await status(first), 200);
  await look('api-key-issued');
  ok('a new key works');

  await page.getByRole('link', { name: 'I have copied it' }).click();
  await row().getByRole('link', { name: 'Rotate' }).click();
  await look('api-key-rotate');
  await page.getByRole('button', { name: 'Rotate key' }).click();
  const second = await token();
  assert.deepEqual([await status(first), await status(second)], [200, 200]);
  ok('after a rotation, both keys work');

  await people();
  await teams();
  await deactivation();
  await teamObjectives();
  await webhooks();

  for (const revoked of [second, first]) {
    await page.goto(`${baseUrl}/settings/api-keys`);
    await row().getByRole('link', { name: 'Revoke' }).first().click();
    if (revoked === second) {
      await look('api-key-revoke');
    }
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('status').waitFor();
    await becomesUnauthenticated(revoked);
  }
  await look('api-keys-revoked');
  ok('revoked keys are rejected within five seconds');

  await audit();

  const missing = await page.goto(`${baseUrl}/settings/nothing`);
  assert.equal(missing.status(), 404);
  await look('error');

  await page.goto(`${baseUrl}/settings/menu`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Signed out' }).waitFor();
  await look('signed-out');
});

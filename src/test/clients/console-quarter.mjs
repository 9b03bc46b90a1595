// Runs a quarter in the console as three people: an admin sets it up, a lead creates and aligns objectives, a member
// checks in for twelve weeks, and the admin closes the cycle and carries over. It needs a service in dev mode.
import assert from 'node:assert/strict';
import { baseUrl, launch, limit, look, ok, run, signIn } from './chromium.mjs';

const WEEKS = 12;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const id = Date.now().toString(36);
const cycle = `Quarter ${id}`;
const nextCycle = `Quarter after ${id}`;
const team = `Crew ${id}`;
const lead = { name: `Lena Lead ${id}`, email: `lead-${id}@demo.example` };
const member = { name: `Milo Member ${id}`, email: `member-${id}@demo.example` };
const company = `Customers recommend us ${id}`;
const objective = `Support answers at once ${id}`;
// After twelve weeks with one step each, they have reached 100, 50, 75, 100 and 60 %, on average 77 %.
const keyResults = [
  { title: 'Guides published', kind: 'Number', from: 0, to: 12 },
  { title: 'Customers visited', kind: 'Number', from: 0, to: 24 },
  { title: 'Requests answered by the guides', kind: 'Percentage', from: 0, to: 16 },
  { title: 'Hours until an answer', kind: 'Number', from: 24, to: 12 },
  { title: 'Savings', kind: 'Amount of money', from: 0, to: 20 },
];
const valueInWeek = (keyResult, week) => keyResult.from + Math.sign(keyResult.to - keyResult.from) * week;
const day = (daysFromNow) => new Date(Date.now() + daysFromNow * DAY).toISOString().slice(0, 10);
const address = (page) => new URL(page.url()).pathname;
const fieldset = (page, name) => page.getByRole('group', { name, exact: true });
const flash = (page, text) => page.getByRole('status').filter({ hasText: text }).waitFor();

/** Opens a page and requires that it shows the texts. */
async function shows(page, path, ...texts) {
  await page.goto(`${baseUrl}${path}`);
  for (const text of texts) {
    await page.getByText(text).first().waitFor();
  }
}

/** Reloads the page until it shows something. The service starts and ends cycles within 20 seconds. */
async function reloadUntil(page, locator) {
  for (const deadline = Date.now() + 60_000; !(await locator.count());) {
    assert.ok(Date.now() < deadline, `${page.url()} does not show ${locator}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await page.reload();
  }
}

async function createCycle(page, name, firstDay, lastDay) {
  await shows(page, '/settings/overview');
  await page.getByRole('link', { name: 'New cycle' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('First day').fill(firstDay);
  await page.getByLabel('Last day').fill(lastDay);
  await page.getByRole('button', { name: 'Create cycle' }).click();
  await flash(page, 'The cycle is created.');
  return new URL(page.url()).searchParams.get('cycle');
}

async function invite(page, person) {
  await page.goto(`${baseUrl}/settings/people/new`);
  await page.getByLabel('Name').fill(person.name);
  await page.getByLabel('Email address').fill(person.email);
  await page.getByRole('radio', { name: 'Member' }).check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await flash(page, 'The person is added.');
}

async function addMember(page, person, role) {
  await page.getByRole('link', { name: 'Add a member' }).click();
  await page.getByLabel('Name or email address').fill(person.email);
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: person.name }).check();
  await fieldset(page, 'Role in the team').getByRole('radio', { name: role }).check();
  await page.getByRole('button', { name: 'Add member' }).click();
  await flash(page, 'The person is added to the team.');
}

/** Creates an objective with its key results in one form. */
async function createObjective(page, { title, owner, ofTeam, keyResults }) {
  await page.getByRole('link', { name: 'New objective' }).click();
  await page.getByLabel('What do you want to achieve?').fill(title);
  await page.getByLabel('Team').selectOption(ofTeam ? { label: ofTeam } : '');
  await page.getByLabel('Owner').selectOption({ label: owner });
  for (const [i, keyResult] of keyResults.entries()) {
    const row = fieldset(page, `Key result ${i + 1}`);
    if (!(await row.count())) {
      await page.getByRole('button', { name: 'Add a key result' }).click();
    }
    await row.getByLabel('What is measured?').fill(keyResult.title);
    await row.getByLabel('Kind').selectOption({ label: keyResult.kind });
    await row.getByLabel('From').fill(String(keyResult.from));
    await row.getByLabel('To', { exact: true }).fill(String(keyResult.to));
  }
  await page.getByRole('button', { name: 'Create objective' }).click();
  if (keyResults.some(({ from, to }) => to < from)) {
    await page.getByText('goes down from its start to its target').waitFor();
    await look(page, 'quarter-objective-hints');
    await page.getByRole('button', { name: 'Create objective' }).click();
  }
  await flash(page, 'The objective is created.');
  return address(page);
}

/** Checks in on all key results with the keyboard only, and returns the addresses of the check-ins. */
async function checkIn(page, week) {
  await page.goto(`${baseUrl}/settings/week`);
  const forms = page.locator('form[data-part]');
  assert.equal(await forms.count(), keyResults.length, `key results due in week ${week}`);
  if (week === 1) {
    await look(page, 'quarter-week');
    await page.reload();
  }
  const checkedIn = await forms.evaluateAll((found) => found.map((form) => form.action.replace('/week/', '/key-results/')));
  await page.locator('form[data-part] input[name=value]:focus').first().waitFor();
  for (const keyResult of keyResults) {
    await page.keyboard.type(String(valueInWeek(keyResult, week)));
    await page.keyboard.press('Enter');
  }
  await page.getByText('You are up to date.').waitFor();
  assert.equal(await page.locator('.checkin-saved').count(), keyResults.length);
  return Promise.all(checkedIn.map(async (keyResult) => {
    const html = await (await page.request.get(keyResult)).text();
    // The newest check-in comes first.
    return new URL(html.match(/href="(\/settings\/key-results\/[^"]+\/check-ins\/[^"]+\/edit)"/)[1], baseUrl).href;
  }));
}

/**
 * Lets time pass. Nothing can move the clock of dev mode, so the page "Correct the check-in" moves the check-ins back to
 * their week. After that, their key results are due again.
 */
async function moveBack(page, checkIns, week) {
  const measured = new Date(Date.now() - (WEEKS - week) * 7 * DAY - HOUR).toISOString().slice(0, 16);
  const token = await page.locator('input[name=form_token]').first().inputValue();
  const moved = await Promise.all(checkIns.map(async (checkIn) => {
    // The check-ins can be in two minutes.
    const html = await (await page.request.get(checkIn)).text();
    const present = html.match(/name="was_recorded_at" value="([^"]+)"/)[1];
    assert.ok(measured < present);
    return page.request.post(checkIn, {
      form: { form_token: token, recorded_at: measured, was_recorded_at: present },
    });
  }));
  moved.forEach((response) => assert.equal(response.status(), 200, response.url()));
}

/** Submits a form that was opened while the cycle was open. */
async function isRejected(page, button) {
  const response = page.waitForResponse((answer) => answer.request().method() === 'POST');
  await page.getByRole('button', { name: button }).first().click();
  assert.equal((await response).status(), 409, `${button} in a closed cycle`);
  await page.getByText('The cycle is closed. An admin can reopen it.').waitFor();
}

limit(300);
const browser = await launch();
await run(browser, async () => {
  const ada = await signIn(browser, 'ada@demo.example');
  const cycleId = await createCycle(ada, cycle, day(-83), day(6));
  await look(ada, 'quarter-overview-empty');
  await shows(ada, '/settings/cycles/new');
  await look(ada, 'quarter-cycle-new');
  const nextId = await createCycle(ada, nextCycle, day(7), day(96));
  await invite(ada, lead);
  await invite(ada, member);
  await ada.goto(`${baseUrl}/settings/teams/new`);
  await ada.getByLabel('Name').fill(team);
  await ada.getByRole('button', { name: 'Create team' }).click();
  await addMember(ada, lead, 'Lead');
  await addMember(ada, member, 'Member');
  await look(ada, 'quarter-team');
  ok('the admin sets up two cycles, two people and a team');

  const lena = await signIn(browser, lead.email);
  await look(lena, 'quarter-week-empty');
  await shows(lena, `/settings/objectives/new?cycle=${cycleId}`);
  await look(lena, 'quarter-objective-new');
  await shows(lena, `/settings/overview?cycle=${cycleId}`);
  const companyPath = await createObjective(lena, {
    title: company, owner: lead.name, keyResults: [{ title: 'Net promoter score', kind: 'Number', from: 0, to: 100 }],
  });
  await shows(lena, `/settings/overview?cycle=${cycleId}`, company);
  const objectivePath = await createObjective(lena, { title: objective, owner: member.name, ofTeam: team, keyResults });
  await shows(lena, companyPath);
  await lena.getByRole('link', { name: 'Change alignments' }).click();
  await lena.getByLabel('Find an objective of the same cycle').fill('support at once');
  await lena.keyboard.press('Enter');
  await lena.getByRole('radio', { name: objective }).check();
  await lena.getByRole('radio', { name: 'Below' }).check();
  await lena.getByRole('radio', { name: 'Counts for the progress' }).check();
  await look(lena, 'quarter-align');
  await lena.getByRole('button', { name: 'Align' }).click();
  await flash(lena, 'The objectives are aligned.');
  await look(lena, 'quarter-alignments');
  await shows(lena, companyPath);
  await lena.getByRole('link', { name: 'Net promoter score' }).first().click();
  await lena.getByLabel('New value').fill('33');
  await lena.getByLabel('Note (optional)').fill('From the survey of this month.');
  await look(lena, 'quarter-check-in');
  await lena.getByRole('button', { name: 'Check in' }).click();
  await flash(lena, 'The check-in is saved.');
  await shows(lena, companyPath, 'Why 17%?', objective);
  ok('the lead creates two objectives with key results, aligns them and checks in');

  const milo = await signIn(browser, member.email);
  await reloadUntil(milo, milo.locator('form[data-part]'));
  for (let week = 1; week <= WEEKS; week++) {
    const checkIns = await checkIn(milo, week);
    if (week === 1) {
      await milo.goto(checkIns[0]);
      await milo.getByRole('heading', { name: 'Correct the check-in' }).waitFor();
      await look(milo, 'quarter-check-in-correct');
    }
    if (week < WEEKS) {
      await moveBack(milo, checkIns, week);
    }
    if (week === 6) {
      await shows(milo, '/settings/week', '39% of');
      await shows(milo, companyPath, 'Why 36%?');
    }
  }
  await look(milo, 'quarter-week-saved');
  await shows(milo, '/settings/week', 'You are up to date.', '77% of');
  await look(milo, 'quarter-week-done');
  // The service ends the cycle within 20 seconds. Meanwhile the others look around.
  await shows(ada, `/settings/cycles/${cycleId}/edit`);
  await ada.getByLabel('Last day').fill(day(-1));
  await look(ada, 'quarter-cycle-edit');
  await ada.getByRole('button', { name: 'Save' }).click();
  await flash(ada, 'The cycle is changed.');
  await milo.getByRole('link', { name: objective }).click();
  await milo.getByText('Why 77%?').waitFor();
  await look(milo, 'quarter-objective');
  await milo.getByRole('link', { name: 'Customers visited' }).first().click();
  assert.equal(await milo.locator('table.check-ins tbody tr').count(), WEEKS);
  await look(milo, 'quarter-key-result');
  ok(`the member checks in for ${WEEKS} weeks with ${keyResults.length} numbers and ${keyResults.length} times Enter each`);

  // Two people edit the same objective at the same moment.
  await Promise.all([lena, milo].map((page) => page.goto(`${baseUrl}${objectivePath}/edit`)));
  await lena.getByLabel('Status').selectOption({ label: 'On track' });
  await lena.getByRole('button', { name: 'Save' }).click();
  await flash(lena, 'The objective is changed.');
  await milo.getByLabel('Status').selectOption({ label: 'At risk' });
  await milo.getByLabel('Why does it matter? (optional)').fill('Waiting costs trust.');
  await milo.getByRole('button', { name: 'Save' }).click();
  await milo.getByText('Their value: On track').waitFor();
  assert.equal(await milo.getByLabel('Status').inputValue(), 'at_risk');
  assert.equal(await milo.getByLabel('Why does it matter? (optional)').inputValue(), 'Waiting costs trust.');
  await look(milo, 'quarter-conflict');
  await milo.getByLabel('Status').selectOption({ label: 'On track' });
  await milo.getByRole('button', { name: 'Save' }).click();
  await flash(milo, 'The objective is changed.');
  await milo.getByText('Waiting costs trust.').waitFor();
  ok('two people who edit the same objective see both values and lose nothing');

  await shows(lena, `/settings/overview?cycle=${cycleId}`, '66%', team, '77%');
  await look(lena, 'quarter-overview');
  await lena.getByRole('link', { name: 'As a tree' }).click();
  await lena.locator('th.level-1').getByRole('link', { name: objective }).waitFor();
  await look(lena, 'quarter-tree');
  await shows(lena, `${objectivePath}/changes`, lead.name, member.name);
  await look(lena, 'quarter-changes');
  // Forms that are open when the cycle is closed.
  await shows(lena, `${companyPath}/edit`);
  await shows(milo, objectivePath);
  await milo.getByRole('link', { name: 'Customers visited' }).first().click();
  await shows(ada, `/settings/cycles/${cycleId}`);
  await reloadUntil(ada, ada.getByRole('button', { name: `Close ${cycle}` }));
  await ada.getByText('4 key results are below the target.').waitFor();
  await ada.getByText('Show them').click();
  await ada.getByRole('link', { name: 'Net promoter score' }).waitFor();
  await look(ada, 'quarter-cycle-ended');
  for (const [title, score] of [[objective, '0.8'], [company, '0.6']]) {
    const review = ada.locator('form.score').filter({ hasText: title });
    await review.getByLabel('Score').fill(score);
    await review.getByLabel('What did you learn?').fill(`Start earlier with: ${title}`);
    await review.getByRole('button', { name: 'Save' }).click();
    await flash(ada, 'The review is saved.');
  }
  await ada.getByText('2 of 2 objectives have a score.').waitFor();
  const late = await ada.context().newPage();
  await shows(late, `/settings/cycles/${cycleId}`);
  await ada.getByRole('button', { name: `Close ${cycle}` }).click();
  await flash(ada, 'The cycle is closed.');
  await ada.getByText('Final result: 66%.').waitFor();
  await look(ada, 'quarter-cycle-closed');
  ok('the admin reviews two objectives and closes the cycle');

  await lena.getByLabel('What do you want to achieve?').fill('Too late');
  await isRejected(lena, 'Save');
  await look(lena, 'quarter-closed-edit');
  await milo.getByLabel('New value').fill('24');
  await isRejected(milo, 'Check in');
  await look(milo, 'quarter-closed-check-in');
  await late.getByLabel('Score').first().fill('0');
  await isRejected(late, 'Save');
  for (const page of [ada, lena, milo]) {
    await shows(page, `/settings/overview?cycle=${cycleId}`, 'Final result: 66%.', company);
    await shows(page, objectivePath, objective, 'The cycle was closed on', 'Why 77%?', '0.8', 'Start earlier with');
    assert.equal(await page.locator('main form').count(), 0);
    assert.equal(await page.getByRole('link', { name: /^(Edit|Add a key result|Change alignments)$/ }).count(), 0);
  }
  await look(milo, 'quarter-objective-closed');
  ok('everybody sees the result of the closed cycle, and no form changes it');

  await shows(ada, `/settings/cycles/${cycleId}`);
  await ada.getByRole('link', { name: 'Carry objectives over' }).click();
  await ada.getByLabel('Into').selectOption(nextId);
  await look(ada, 'quarter-carry-over');
  await ada.getByRole('button', { name: 'Carry over' }).click();
  await flash(ada, 'The objectives are carried over.');
  await ada.getByText('2 objectives', { exact: true }).waitFor();
  await look(ada, 'quarter-next-overview');
  await shows(milo, `/settings/overview?cycle=${nextId}`);
  await milo.getByRole('link', { name: objective }).click();
  await milo.getByText('Continues').waitFor();
  // Key results that reached their target are left out.
  assert.deepEqual((await milo.locator('.key-result-name a').allInnerTexts()).toSorted(),
    ['Customers visited', 'Requests answered by the guides', 'Savings']);
  await look(milo, 'quarter-objective-next');
  ok('the objectives go on in the next cycle with what is left');
});

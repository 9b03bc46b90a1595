// What the tests of the console in Chromium have in common: the browser, sign-in, and the checks of each page.
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export const baseUrl = (process.env.OKR_BASE_URL ?? 'http://localhost:8080').replace(/\/+$/, '');
export const screenshots = 'build/console';
export const ok = (what) => console.log(`ok - ${what}`);
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 900 };
/** The desktop at a zoom of 200 %. */
const zoomed = { width: 640, height: 450 };
const pageErrors = [];

/** Ends the script after a time. Playwright stops the browser with the process. */
export function limit(seconds) {
  setTimeout(() => {
    console.error(`console: not finished after ${seconds} s`);
    process.exit(1);
  }, seconds * 1000).unref();
}

export async function launch() {
  await mkdir(screenshots, { recursive: true });
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    timeout: 30_000,
    headless: true,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** Opens the console as a person, in a browser context of its own. The provider of dev mode accepts any address. */
export async function signIn(browser, email) {
  const context = await browser.newContext({ viewport: desktop });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => {
    // Chromium logs the 4xx status of a rejected form as an error.
    if (message.type() === 'error' && !message.text().includes('status of 4')) {
      pageErrors.push(message.text());
    }
  });
  await page.goto(`${baseUrl}/settings`);
  await page.getByText('Custom user').click();
  await page.getByPlaceholder('Name').fill(email);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  await page.getByRole('heading', { name: 'My week' }).waitFor();
  return page;
}

/** Fails if the page is wider than the window. */
async function fits(page, seen) {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${seen}: ${wider} pixels too wide`);
}

/**
 * Checks what a screen reader announces without context. Every link and button has a name. Links with the same name
 * lead to the same page. Buttons with the same name send the same form. The page has one h1 and one main element.
 */
async function namesAreUnique(page, what) {
  const found = await page.evaluate(() => {
    const name = (element) => {
      const copy = element.cloneNode(true);
      copy.querySelectorAll('[aria-hidden]').forEach((part) => part.remove());
      return (element.ariaLabel ?? copy.textContent).replace(/\s+/g, ' ').trim();
    };
    const targets = new Map();
    for (const element of document.querySelectorAll('main a[href], main button:not([hidden])')) {
      const key = `${element.localName} "${name(element)}"`;
      const target = element.href ?? `${element.form?.action} ${element.name} ${element.value}`;
      targets.set(key, (targets.get(key) ?? new Set()).add(target));
    }
    return [...targets].filter(([key, all]) => key.endsWith('""') || all.size > 1).map(([key, all]) => [key, ...all]);
  });
  assert.deepEqual(found, [], `${what}: names of links and buttons`);
  const outline = await page.evaluate(() => ['h1', 'main'].map((tag) => document.querySelectorAll(tag).length));
  assert.deepEqual(outline, [1, 1], `${what}: h1 and main`);
}

/**
 * Checks the page in each size and colour scheme: no horizontal overflow, and axe. Also checks the names of links, and
 * the width at a zoom of 200 %. There is a screenshot of each size and of each colour scheme.
 */
export async function look(page, what) {
  // After a click, the new page can still be empty.
  await page.waitForLoadState();
  await namesAreUnique(page, what);
  await page.setViewportSize(zoomed);
  await fits(page, `${what}-zoomed`);
  // The page's Content-Security-Policy does not apply to evaluation by the debugger.
  await page.evaluate(axe);
  for (const [device, size] of [['desktop', desktop], ['phone', phone]]) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const seen = `${what}-${device}-${colorScheme}`;
      await fits(page, seen);
      const found = await page.evaluate(async () => {
        const { violations } = await globalThis.axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
      });
      assert.deepEqual(found, [], seen);
      if ((device === 'desktop') === (colorScheme === 'light')) {
        await page.screenshot({ path: `${screenshots}/${seen}.png`, fullPage: true });
      }
    }
  }
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: 'light' });
  ok(`${what} passes in each size and colour scheme`);
}

/** Runs the test. If it fails, there is a screenshot of each open page. */
export async function run(browser, test) {
  try {
    await test();
    assert.deepEqual(pageErrors, []);
    ok('no script errors and no violations of the Content-Security-Policy');
  } catch (error) {
    const pages = browser.contexts().flatMap((context) => context.pages());
    await Promise.all(pages.map((page, i) =>
      page.screenshot({ path: `${screenshots}/failed-${i}.png`, timeout: 5_000 }).catch(() => {})));
    pageErrors.forEach((message) => console.error(`error on the page: ${message}`));
    throw error;
  } finally {
    await browser.close();
  }
}

import type { Page, Request } from '@playwright/test';
import { publish, secretOf } from './device.ts';
import { expectHomePage, expectLive, signIn } from './pages.ts';
import { expect, test } from './test.ts';

// What the console asks of the server, and how the live stream spares it from asking twice.

const send = (deviceName: string, values: Record<string, unknown>) => publish(deviceName, secretOf(deviceName), values);
const stream = '/admin-api/client/pc/live';

/** The calls of a page from now on. */
function calls(page: Page): Request[] {
  const all: Request[] = [];
  page.on('request', (request) => {
    if (/^\/(admin|app)-api\//.test(new URL(request.url()).pathname)) all.push(request);
  });
  return all;
}

/** What was asked for more than once. Times in an address move with the clock: what is asked for is the same. */
function repeatedRequests(all: Request[]): string[] {
  const asked = all.map((request) => `${request.method()} ${request.url().replace(/\d{13}/g, 'time')}`);
  return asked.filter((address, at) => asked.indexOf(address) !== at);
}

const mast = (page: Page) => page.getByRole('treeitem', { name: /Orchard mast/ });

test.beforeEach(async ({ page }) => {
  // The mast is online and has a temperature: what it sends from here on is a new value and nothing else.
  await send('WS-0001', { airTemperature: 1.1 });
  await signIn(page);
  await expect(mast(page)).toContainText('1.1');
});

for (const saveData of [false, true]) {
  test(`a home page asks for everything once${saveData ? ', with the data saver too' : ''}`, async ({ page }) => {
    await page.evaluate((state) => localStorage.setItem('tilth.preferences', JSON.stringify({ state, version: 0 })), {
      saveData,
    });
    await page.clock.install();
    const all = calls(page);
    await page.goto('/dashboard-default');
    await expectHomePage(page);
    await expectLive(page);
    // All that waits for a burst of events to be over comes to pass.
    await page.clock.fastForward(5000);
    await page.clock.fastForward(5000);
    await send('WS-0001', { airTemperature: 2.2 });
    await expect(mast(page)).toContainText('2.2');

    expect(repeatedRequests(all)).toEqual([]);
    expect(all.filter((request) => request.url().includes('get-group-device-list'))).toHaveLength(1);
    const opened = all.filter((request) => request.url().endsWith(stream));
    expect(opened.map((request) => request.headers()['last-event-id'])).toEqual([expect.stringMatching(/^\w+-\d+$/)]);
  });
}

test('what happens before the stream is open is shown, and nothing is asked for anew', async ({ page }) => {
  let open: () => void = () => undefined;
  const held = new Promise<void>((go) => {
    open = go;
  });
  await page.route(`**${stream}`, async (route) => {
    await held;
    await route.continue();
  });
  const all = calls(page);
  const wanted = page.waitForRequest(`**${stream}`);
  await page.goto('/dashboard-default');
  await expectHomePage(page);
  await wanted;
  await send('WS-0001', { airTemperature: 3.3 });
  await expect(mast(page)).toContainText('1.1');
  open();
  await expect(mast(page)).toContainText('3.3');
  await expectLive(page);
  expect(repeatedRequests(all)).toEqual([]);
});

test('a second tab asks for everything once, too, and follows the stream of the first', async ({ page, context }) => {
  await expectLive(page);
  const second = await context.newPage();
  const all = calls(second);
  await second.goto('/dashboard-default');
  await expectHomePage(second);
  await expectLive(second);
  await send('WS-0001', { airTemperature: 4.4 });
  for (const tab of [page, second]) await expect(mast(tab)).toContainText('4.4');
  expect(repeatedRequests(all)).toEqual([]);
  expect(all.filter((request) => request.url().endsWith(stream))).toEqual([]);
  // Once the first is closed, it goes on where that one was.
  const taken = second.waitForRequest(`**${stream}`);
  await page.close();
  expect((await taken).headers()['last-event-id']).toMatch(/^\w+-\d+$/);
  await send('WS-0001', { airTemperature: 5.5 });
  await expect(mast(second)).toContainText('5.5');
  expect(repeatedRequests(all)).toEqual([]);
});

import type { Page, Request } from '@playwright/test';
import { publish, secretOf } from './device.ts';
import { expectHomePage, expectLive, signIn } from './pages.ts';
import { expect, test } from './test.ts';

// The console's calls, and how the live stream avoids repeated ones.

const send = (deviceName: string, values: Record<string, unknown>) => publish(deviceName, secretOf(deviceName), values);
const stream = '/admin-api/client/pc/live';

/** Records the calls of a page from now on. */
function calls(page: Page): Request[] {
  const all: Request[] = [];
  page.on('request', (request) => {
    if (/^\/(admin|app)-api\//.test(new URL(request.url()).pathname)) all.push(request);
  });
  return all;
}

/** The repeated requests. Times in addresses move with the clock: they count as equal. */
function repeatedRequests(all: Request[]): string[] {
  const asked = all.map((request) => `${request.method()} ${request.url().replace(/\d{13}/g, 'time')}`);
  return asked.filter((address, at) => asked.indexOf(address) !== at);
}

const mast = (page: Page) => page.getByRole('treeitem', { name: /Orchard mast/ });

test.beforeEach(async ({ page }) => {
  // The mast is online and has a temperature: further readings are only new values.
  await send('WS-0001', { airTemperature: 1.1 });
  await signIn(page);
  await expect(mast(page)).toContainText('1.1');
});

test('a home page fetches everything once, with the data saver too, and misses nothing before its stream', async ({
  page,
}) => {
  await page.clock.install();
  for (const saveData of [false, true]) {
    await page.evaluate((state) => localStorage.setItem('tilth.preferences', JSON.stringify({ state, version: 0 })), {
      saveData,
    });
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
    const before = saveData ? '2.2' : '1.1';
    await expect(mast(page)).toContainText(before);
    await send('WS-0001', { airTemperature: 3.3 });
    await expect(mast(page)).toContainText(before);
    open();
    await expect(mast(page)).toContainText('3.3');
    await expectLive(page);
    // Lets all debounced refetches run.
    await page.clock.fastForward(5000);
    await page.clock.fastForward(5000);
    await send('WS-0001', { airTemperature: 2.2 });
    await expect(mast(page)).toContainText('2.2');

    expect(repeatedRequests(all)).toEqual([]);
    expect(all.filter((request) => request.url().includes('get-group-device-list'))).toHaveLength(1);
    const opened = all.filter((request) => request.url().endsWith(stream));
    expect(opened.map((request) => request.headers()['last-event-id'])).toEqual([expect.stringMatching(/^\w+-\d+$/)]);
    await page.unroute(`**${stream}`);
    page.removeAllListeners('request');
  }
});

test('a second tab also fetches everything once, and follows the stream of the first', async ({ page, context }) => {
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
  // After the first tab closes, the second resumes at its position.
  const taken = second.waitForRequest(`**${stream}`);
  await page.close();
  expect((await taken).headers()['last-event-id']).toMatch(/^\w+-\d+$/);
  await send('WS-0001', { airTemperature: 5.5 });
  await expect(mast(second)).toContainText('5.5');
  expect(repeatedRequests(all)).toEqual([]);
});

import type { Locator, Page } from '@playwright/test';
import { button, expectAccessible, expectNoHorizontalScroll, toast } from './pages.ts';
import { addProfileUser, call, host, open } from './profileUsers.ts';
import { addresses, siteOf } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, setOwnAddress } from './testUsers.ts';

// The keys with which programs sign in. Each test has its own user with its own phone number.

test.use({ host });
test.beforeEach(({ context }) => setOwnAddress(context));

test.describe('my app', () => {
  const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

  /** Copies the key and its secret as a person does; needs the clipboard's permissions. */
  async function copyPair(shown: Locator): Promise<{ appKey: string; appSecret: string }> {
    const copied = async (what: string) => {
      await shown.getByRole('button', { name: what }).click();
      return shown.page().evaluate(() => navigator.clipboard.readText());
    };
    return { appSecret: await copied('Copy the secret'), appKey: await copied('Copy the key') };
  }

  test('a key is created, its secret shown once and copied; the key is disabled, enabled and deleted', async ({
    page,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: siteOf('profiles') });
    const person = await addProfileUser();
    await open(page, person, 'app');
    await expect(page.getByRole('heading', { name: 'No keys yet' })).toBeVisible();
    await button(page, 'New key').click();
    const adding = page.getByRole('dialog', { name: 'New key' });
    await adding.getByRole('button', { name: 'Create key' }).click();
    await expect(adding.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription('Please enter a name');
    await adding.getByRole('textbox', { name: 'Name' }).fill('Irrigation planner');
    await adding.getByRole('button', { name: 'Create key' }).click();
    await expect(toast(page, 'Created')).toBeVisible();

    const shown = page.getByRole('dialog', { name: 'Keep the secret now' });
    const data = await copyPair(shown);
    for (const text of Object.values(data)) {
      expect(text).toMatch(/^\S{16,}$/);
      await expect(shown.getByText(text, { exact: true })).toBeVisible();
    }
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await shown.getByRole('button', { name: 'Close' }).click();
    await expect(shown.getByText('Tick this first: the secret is never shown again')).toBeVisible();
    await expect(shown.getByRole('button', { name: 'Done' })).toBeDisabled();
    await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await expect(shown).toBeHidden();
    await page.reload();
    await expect(row(page, 'Irrigation planner')).toContainText('Open');
    const pair = Buffer.from(`${data.appKey}:${data.appSecret}`).toString('base64');
    const listed = await context.request.get(`${addresses().console}/open-api/v1/devices`, {
      headers: { Authorization: `Basic ${pair}` },
    });
    expect(listed.status()).toBe(200);
    expect(listed.headers()['ratelimit-remaining']).toMatch(/^\d+$/);
    await page.reload();
    await expect(row(page, 'Irrigation planner')).toContainText('24 h: 1');
    const everything = `${await page.content()}${await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))}`;
    expect(everything).toContain(data.appKey);
    expect(everything).not.toContain(data.appSecret);
    await page.getByRole('link', { name: 'API reference' }).click();
    await expect(page.getByRole('heading', { name: 'Tilth Open API' })).toBeVisible();
    await page.goBack();

    for (const [verb, confirm, state] of [
      ['Close', 'Close key', 'Closed'],
      ['Open', 'Open key', 'Open'],
    ] as const) {
      await button(page, `${verb}: Irrigation planner`).click();
      const asked = page.getByRole('dialog', { name: 'Change the state of “Irrigation planner”?' });
      await asked.getByRole('button', { name: confirm }).click();
      await expect(asked).toBeHidden();
      await expect(row(page, 'Irrigation planner').getByText(state, { exact: true }).first()).toBeVisible();
    }
    await button(page, 'Delete: Irrigation planner').click();
    const asked = page.getByRole('dialog', { name: 'Delete “Irrigation planner”?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expect(asked).toBeHidden();
    await expect(row(page, 'Irrigation planner')).toBeVisible();
    await button(page, 'Delete: Irrigation planner').click();
    await asked.getByRole('button', { name: 'Delete key' }).click();
    await expect(page.getByRole('heading', { name: 'No keys yet' })).toBeVisible();
    expect((await call(person, '/admin-api/client/pc/apicredentials/page?pageNo=1')).data.total).toBe(0);
  });

  test('from the home page to the copied secret takes five clicks at most', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: siteOf('profiles') });
    await openSignedIn(page, await addProfileUser(), '/dashboard-default', siteOf('profiles'));
    let clicks = 0;
    const click = async (control: Locator) => {
      clicks += 1;
      await control.click();
    };
    await click(page.getByRole('navigation').getByRole('link', { name: 'Profile', exact: true }));
    await click(page.getByRole('tab', { name: 'My app' }));
    await click(button(page, 'New key'));
    // The name has the focus: one types at once.
    await expect(page.getByRole('dialog', { name: 'New key' }).getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.keyboard.type('Irrigation planner');
    await click(button(page, 'Create key'));
    const shown = page.getByRole('dialog', { name: 'Keep the secret now' });
    await click(shown.getByRole('button', { name: 'Copy the secret' }));
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    await expect(shown.getByText(secret, { exact: true })).toBeVisible();
    expect(secret).toMatch(/^\S{16,}$/);
    expect(clicks).toBeLessThanOrEqual(5);
  });

  test('a key that may only read, and not forever, is refused elsewhere', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: siteOf('profiles') });
    const person = await addProfileUser();
    await open(page, person, 'app');
    await button(page, 'New key').click();
    const adding = page.getByRole('dialog', { name: 'New key' });
    await adding.getByRole('textbox', { name: 'Name' }).fill('Field report');
    await adding.getByRole('checkbox', { name: 'Telemetry' }).uncheck();
    await adding.getByRole('checkbox', { name: 'Webhooks' }).uncheck();
    await adding.getByRole('combobox', { name: 'Expires' }).selectOption('After a day of your choice');
    // Tomorrow, by the farm's calendar.
    const tomorrow = new Intl.DateTimeFormat('en-US', {
      timeZone: 'Europe/Istanbul',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }).format(Date.now() + 86_400_000);
    await adding.getByRole('textbox', { name: 'Last day' }).fill(tomorrow);
    await page.keyboard.press('Enter');
    await expectAccessible(page);
    await adding.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Keep the secret now' });
    const { appKey, appSecret } = await copyPair(shown);
    await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await expect(shown).toBeHidden();
    await expect(row(page, 'Field report')).toContainText('Read');
    await expect(row(page, 'Field report')).not.toContainText('telemetry');
    await expect(row(page, 'Field report')).toContainText('Expires in 1 day');
    await expectAccessible(page);
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expect(page.getByText('Expires in 1 day')).toBeVisible();
      await expectNoHorizontalScroll(page);
    }

    const headers = { Authorization: `Basic ${Buffer.from(`${appKey}:${appSecret}`).toString('base64')}` };
    const api = `${addresses().console}/open-api/v1`;
    expect((await context.request.get(`${api}/devices`, { headers })).status()).toBe(200);
    const refused = await context.request.post(`${api}/webhooks`, {
      headers,
      data: { name: 'Report', url: 'https://example.com/hook', events: ['opened', 'resolved'] },
    });
    expect(refused.status()).toBe(403);
  });

  test('many keys are on pages, the newest first', async ({ page }) => {
    const person = await addProfileUser();
    for (let key = 1; key <= 11; key += 1) {
      expect((await call(person, '/admin-api/client/pc/apicredentials/create', { name: `Key ${key}` })).code).toBe(200);
    }
    await open(page, person, 'app');
    const names = page.getByRole('rowheader');
    await expect(names).toHaveCount(10);
    await expect(names.first()).toHaveText('Key 11');
    await expect(page.getByText('1–10 of 11')).toBeVisible();
    await page.getByRole('listitem', { name: '2' }).click();
    await expect(names).toHaveText(['Key 1']);
    await expect(page.getByText('11–11 of 11')).toBeVisible();
    // The last key of the last page: the page before becomes the last one.
    await button(page, 'Delete: Key 1').click();
    await button(page, 'Delete key').click();
    await expect(names).toHaveCount(10);
    await expect(page.getByText('1–10 of 10')).toBeVisible();
    const size = page.getByRole('combobox', { name: 'Rows on a page' });
    expect(await size.getByRole('option').allTextContents()).toEqual(
      [10, 100, 200, 300, 400].map((n) => `${n} / page`),
    );
    await size.selectOption('100 / page');
    await expect(names).toHaveCount(10);
  });

  test('a refused key shows the reason', async ({ page }) => {
    await open(page, await addProfileUser(), 'app');
    await button(page, 'New key').click();
    const adding = page.getByRole('dialog', { name: 'New key' });
    await adding.getByRole('textbox', { name: 'Name' }).fill('Planner');
    await page.route('**/apicredentials/create', (route) =>
      route.fulfill({ json: { code: 601, data: null, msg: 'Enough keys for one person' } }),
    );
    await adding.getByRole('button', { name: 'Create key' }).click();
    await expect(adding.getByRole('alert')).toContainText('Enough keys for one person');
    await expect(adding.getByRole('textbox', { name: 'Name' })).toHaveValue('Planner');
  });
});

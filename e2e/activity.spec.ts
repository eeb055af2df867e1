import type { Page } from '@playwright/test';
import { expectAccessible, expectNoHorizontalScroll } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// The audit log: a scene and a rule are changed, and both changes appear with their former values.

const grower: TestUser = { tenantName: 'hedgerow', userName: 'nilay', password: 'between-two-fields' };
const owner: TestUser = { tenantName: 'coppice', userName: 'timur', password: 'cut-every-tenth-year' };

test.beforeAll(() =>
  applyYaml(`
tenants:
  - name: hedgerow
    hosts: [hedgerow.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: nilay, password: ${grower.password}, nickname: Nilay}]
    scenes: [Long field]
    devices:
      - {deviceName: HR-01, serial: H-1, noteName: Hedge mast, product: weather-mast, secret: e2e-hedgerow-0a91c37e44d2b6f8, scene: Long field}
  - name: coppice
    hosts: [coppice.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: timur, password: ${owner.password}, nickname: Timur}]
`),
);

const call = (method: string, path: string, body?: object) =>
  fetchApiData(grower, method, `/admin-api/client/pc/${path}`, body);

const rule = (value: number) => ({
  alarmName: 'Spring frost',
  dataSource: 1,
  executionId: 'HR-01',
  triggerType: 0,
  alarmLevel: 2,
  manualRelease: 0,
  conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value }],
});

/** On a wide screen an entry is a link that shows it beside the list, on a phone it unfolds. */
const entry = (page: Page, text: string | RegExp) =>
  page.getByRole('link', { name: text }).or(page.getByRole('button', { name: text }));

test('changes of a scene and a rule appear with their former values', async ({ page }) => {
  const scenes = await call('GET', 'group/page?groupName=Long');
  const id = await call('POST', 'alarm-rules/create', rule(2));
  await call('PUT', 'group/update', { id: scenes.list[0].id, groupName: 'Short field', groupStatus: 1 });
  await call('PUT', 'alarm-rules/update', { id, ...rule(3) });

  await openSignedIn(page, grower, '/profile');
  await page.getByRole('link', { name: /^Activity on the farm/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible();
  const scene = entry(page, 'Changed scene Long field: name from Long field to Short field');
  await expect(scene).toContainText('Nilay');
  const changed = entry(page, /Changed alarm rule Spring frost: conditions from .*2.* to .*3/);
  await changed.click();
  await expect(page).toHaveURL(/\?id=\d+$/);
  const beside = page.getByRole('region', { name: 'Changed alarm rule Spring frost' });
  await expect(beside.getByRole('row', { name: /^conditions/ })).toContainText('Air temperature');
  await expect(entry(page, 'Created alarm rule Spring frost')).toBeVisible();
  await expect(entry(page, /Provider.*Added device Hedge mast/)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('combobox', { name: 'What' }).selectOption('Scenes');
  await expect(changed).toHaveCount(0);
  await expect(scene).toBeVisible();
  await page.getByRole('combobox', { name: 'Who' }).selectOption('Provider');
  await expect(scene).toHaveCount(0);
  await expect(entry(page, /Created scene Long field/)).toBeVisible();
  await page.reload();
  await expect(entry(page, /Created scene Long field/)).toBeVisible();
});

test('another tenant sees none of it', async ({ page }) => {
  await openSignedIn(page, owner, '/profile/activity');
  await expect(entry(page, /Timur.*Signed in as Timur/).first()).toBeVisible();
  await expect(page.getByText(/Hedge|Nilay|Long field/)).toHaveCount(0);
});

test('it fits on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, grower, '/profile/activity?kind=device');
  await entry(page, /Added device Hedge mast/).click();
  await expect(page.getByRole('rowheader', { name: 'remark name' })).toBeVisible();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
});

import type { Locator } from '@playwright/test';
import { publish } from './device.ts';
import { detail, noticeTenant, path } from './noticeTenant.ts';
import { createRule } from './rule.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn } from './testUsers.ts';

// A browser whose clock is not the farm's: every time is the farm's, and what shows times says so.

test.use({ timezoneId: 'UTC' });

const person = { tenantName: 'eastfield', userName: 'deniz', password: 'three-hours-ahead' };
const { apply, run, measure, noticeOf, open } = noticeTenant({
  person,
  scene: 'East',
  secret: '90c4e7a1d5b8f263',
  devices: { 'EA-RULE': 'Mast of a rule', 'EA-TOLD': 'Mast of a notice' },
});

const minute = 60_000;
const zone = 'Europe/Istanbul';
const zoneWords = 'Times in Europe/Istanbul (UTC+3)';
/** The frost of three nights, half past two by the farm's clock, before midnight in the browser's. */
const nights = [3, 5, 8].map((ago) => {
  const midnight = new Date();
  midnight.setUTCHours(0, 0, 0, 0);
  return midnight.getTime() - ago * 24 * 60 * minute - 30 * minute;
});

const clock = (time: number) =>
  new Date(time).toLocaleTimeString('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
const clocksIn = async (where: Locator) => (await where.ariaSnapshot()).match(/\b\d{2}:\d{2}\b/g) ?? [];

test.beforeAll(async () => {
  await apply();
  const frames = nights.flatMap((night) =>
    [4, 1.2, 0.4, 3].map((airTemperature, index) => ({
      ts: night + index * 10 * minute,
      values: { airTemperature, airHumidity: 90 },
    })),
  );
  await publish('EA-RULE', 'e2e-ea-rule-90c4e7a1d5b8f263', frames);
});

/** All times shown there are by the farm's clock, none before a time. */
async function expectTenantClocks(where: Locator, since: number): Promise<void> {
  const shown = await clocksIn(where);
  expect(shown).not.toEqual([]);
  const minutes = Math.ceil((Date.now() - since) / minute);
  const possible = Array.from({ length: minutes + 1 }, (_, after) => clock(since + after * minute));
  for (const each of shown) expect(possible).toContain(each);
}

test('a rule’s rehearsal and period, its notice, who was told, and the alarms of the day are by the farm’s clock', async ({
  page,
}) => {
  const channel = await fetchApiData(person, 'POST', `${path}/notice-channel/create`, {
    noticeName: 'By mail',
    noticeMode: ['email'],
    email: { emails: ['deniz@example.com'] },
  });
  const night = { complexTime: 1, timePeriods: Array.from({ length: 12 }, (_, half) => half) };
  const rule = await createRule(person, 'EA-RULE', 'Frost by night', { passageway: [channel], ...night });
  await openSignedIn(page, person, `/alarm?rule=${rule}`);
  const form = page.getByRole('dialog', { name: /rule$/ });
  const listed = form.getByRole('list', { name: 'What it would have recorded' }).getByRole('listitem');
  await expect(listed).toHaveCount(3);
  const begun = nights.map((night) => clock(night + 10 * minute)).toReversed();
  for (const [index, line] of (await listed.all()).entries()) expect(await clocksIn(line)).toEqual([begun[index]]);
  // 02:40 by the farm is in the period; 23:40 by the browser would not be.
  expect(begun[0]).toBe('02:40');
  await expect(listed.filter({ hasText: 'outside the period' })).toHaveCount(0);
  const rehearsal = form.getByRole('region', { name: 'Rehearsal, last 30 days' });
  await expect(rehearsal.getByText(zoneWords)).toBeVisible();
  await expect(form.getByText(/00:00–06:00.*Europe\/Istanbul/)).toBeVisible();

  const before = Date.now();
  await run('Frost now', 'EA-TOLD', { passageway: [channel] });
  await measure('EA-TOLD', -1);
  const id = await noticeOf('Frost now');
  await open(page, `?id=${id}`);
  const told = detail(page).getByRole('heading', { name: 'Who was told' }).locator('xpath=..');
  // No mail server is set up: what was tried when is unfolded.
  await expect(told.getByText(/Beginning of the alarm/)).toBeVisible();
  await expectTenantClocks(told, before);
  await expectTenantClocks(
    detail(page).getByRole('heading', { level: 2 }).locator('xpath=ancestor::header[1]'),
    before,
  );
  await expect(detail(page).getByText(zoneWords)).toBeVisible();

  const zones: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/client/pc/home/')) zones.push(request.headers()['time-zone']);
  });
  await page.goto('/dashboard-default');
  const today = page.getByRole('region', { name: 'Overview' }).locator('dl', { hasText: 'Alarms today' });
  await expect(today.locator('dd').first()).toContainText('1');
  await expect(today).toContainText(/last at \d\d:\d\d/);
  await expectTenantClocks(today, before);
  expect(new Set(zones)).toEqual(new Set([zone]));
});

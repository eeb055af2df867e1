import { detail, noticeTenant, path } from './noticeTenant.ts';
import { expectAccessible, expectLive, expectNoHorizontalScroll } from './pages.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn } from './testUsers.ts';

// What needs a person now, on the home page, in a tenant of its own. The clicks of everyday tasks
// are counted: a task that takes more than before fails.

const person = { tenantName: 'slope', userName: 'deniz', password: 'frost-on-the-slope' };
const devices = {
  'SL-COLD': 'Mast in the cold',
  'SL-PHONE': 'Mast on a phone',
  'SL-WARM': 'Mast in the sun',
  'SL-BROOK': 'Mast by the brook',
};

const { apply, run, measure, noticeOf } = noticeTenant({ person, scene: 'Slope', secret: '41c0a8d2e6f7b953', devices });

test.beforeAll(apply);

test('which device is over its limit, since when, and who was told: no click, then one', async ({ page }) => {
  await run('Frost on the slope', 'SL-COLD', { manualRelease: 1 });
  await measure('SL-COLD', -2);
  await noticeOf('Frost on the slope');
  await openSignedIn(page, person, '/dashboard-default');
  await expectLive(page);
  const attention = page.getByRole('region', { name: 'Needs you now' });
  const row = attention.getByRole('listitem').filter({ hasText: 'Frost on the slope' });
  await expect(row).toContainText('Mast in the cold');
  await expect(row).toContainText(/−2\.0\s°C.*limit <\s/);
  await expect(row).toContainText('since');
  // The worst device is the selected one.
  await expect(page.getByRole('heading', { name: 'Mast in the cold' })).toBeVisible();
  await measure('SL-COLD', -3.4);
  await expect(row).toContainText('−3.4');

  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBeLessThanOrEqual(0);

  // The dialog looks like the console, although the page itself is drawn without such parts.
  await row.getByRole('button', { name: 'I am on it' }).click();
  const dialog = page.getByRole('dialog', { name: 'I am on it' });
  const font = await row.evaluate((element) => getComputedStyle(element).fontFamily);
  await expect(dialog.getByRole('button', { name: 'I am on it' })).toHaveCSS('font-family', font);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();

  // Choosing another device moves nothing.
  const map = page.getByRole('region', { name: 'Map' });
  const before = await map.boundingBox();
  await page.getByRole('treeitem', { name: /Mast in the sun/ }).click();
  await expect(page.getByRole('heading', { name: 'Mast in the sun' })).toBeVisible();
  expect(await map.boundingBox()).toEqual(before);

  await row.getByRole('link', { name: 'Frost on the slope', exact: true }).click();
  await expect(page).toHaveURL(/\/inform\?id=/);
  await expect(page.getByRole('button', { name: 'Mark as solved' })).toBeVisible();
});

test('on a phone, the newest alarm with its chart is solved with three taps', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await run('Frost on a phone', 'SL-PHONE', { manualRelease: 1 });
  await measure('SL-PHONE', -1.2);
  await noticeOf('Frost on a phone');
  await openSignedIn(page, person, '/dashboard-default');
  const attention = page.getByRole('region', { name: 'Needs you now' });
  await expectNoHorizontalScroll(page);
  await attention.getByRole('link', { name: 'Frost on a phone', exact: true }).click();
  // The chart of the alarm stands above the button, drawn.
  await expect(detail(page).locator('canvas')).toBeVisible();
  await page.getByRole('button', { name: 'Mark as solved' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Mark as solved' }).click();
  await expect(dialog).toBeHidden();
  await page.goto('/dashboard-default');
  await expect(page.getByRole('region', { name: /eeds you now/ })).not.toContainText('Frost on a phone');
});

test('an alarm is marked as solved, and who was told when is seen, with two clicks', async ({ page }) => {
  const channel = await fetchApiData(person, 'POST', `${path}/notice-channel/create`, {
    noticeName: 'Mail',
    noticeMode: ['email'],
    email: { emails: ['deniz@example.com'] },
  });
  await run('Frost by the brook', 'SL-BROOK', { manualRelease: 1, passageway: [channel] });
  await measure('SL-BROOK', -2);
  await noticeOf('Frost by the brook');
  await openSignedIn(page, person, '/dashboard-default');
  const attention = page.getByRole('region', { name: /eeds you now/ });
  await attention.getByRole('link', { name: 'Mark as solved: Frost by the brook, Mast by the brook' }).click();
  const dialog = page.getByRole('dialog', { name: 'Mark as solved' });
  await expect(dialog.getByText(/the limit 2\s°C: the condition still holds/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Mark as solved' }).click();
  await expect(detail(page).getByText('Manual solution')).toBeVisible();
  await expect(detail(page).getByRole('heading', { name: 'Who was told' })).toBeVisible();
  await expect(detail(page).getByText('deniz@example.com')).toBeVisible();
  // Closed, the dialog is not in the address any more: a reload does not open it.
  await expect(page).toHaveURL(/\/inform\?id=\d+$/);
});

import { detail, noticeTenant, path } from './noticeTenant.ts';
import { expectLive } from './pages.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn } from './testUsers.ts';

// What needs a person now, on the home page, in a tenant of its own. The clicks of everyday tasks
// are counted: a task that takes more than before fails.

const person = { tenantName: 'slope', userName: 'deniz', password: 'frost-on-the-slope' };
const devices = { 'SL-COLD': 'Mast in the cold', 'SL-WARM': 'Mast in the sun' };

const { apply, run, measure, noticeOf } = noticeTenant({ person, scene: 'Slope', secret: '41c0a8d2e6f7b953', devices });

test.beforeAll(apply);

test('an alarm is seen without a click, and solved with two, on a phone with three', async ({ page }) => {
  const channel = await fetchApiData(person, 'POST', `${path}/notice-channel/create`, {
    noticeName: 'Mail',
    noticeMode: ['email'],
    email: { emails: ['deniz@example.com'] },
  });
  await run('Frost on the slope', 'SL-COLD', { manualRelease: 1, passageway: [channel] });
  await measure('SL-COLD', -2);
  await noticeOf('Frost on the slope');
  await openSignedIn(page, person, '/dashboard-default');
  await expectLive(page);
  const attention = page.getByRole('region', { name: /eeds you now/ });
  const row = attention.getByRole('listitem').filter({ hasText: 'Frost on the slope' });
  await expect(row).toContainText('Mast in the cold');
  await expect(row).toContainText(/−2\.0\s°C.*limit <\s/);
  await expect(row).toContainText(/since/i);
  // The worst device is the selected one.
  await expect(page.getByRole('heading', { name: 'Mast in the cold' })).toBeVisible();
  await measure('SL-COLD', -3.4);
  await expect(row).toContainText('−3.4');
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

  const question = page.getByRole('dialog', { name: 'Mark as solved' });
  await row.getByRole('link', { name: 'Mark as solved: Frost on the slope, Mast in the cold' }).click();
  await expect(question.getByText(/the limit 2\s°C: the condition still holds/)).toBeVisible();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  // Closed, the dialog is not in the address any more: a reload does not open it.
  await expect(page).toHaveURL(/\/inform\?id=\d+$/);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/dashboard-default');
  await row.getByRole('link', { name: 'Frost on the slope', exact: true }).click();
  // The chart of the alarm stands above the button, drawn.
  await expect(detail(page).locator('canvas')).toBeVisible();
  await page.getByRole('button', { name: 'Mark as solved' }).click();
  await question.getByRole('button', { name: 'Mark as solved' }).click();
  await expect(question).toBeHidden();
  await expect(detail(page).getByText('Manual solution')).toBeVisible();
  await expect(detail(page).getByRole('heading', { name: 'Who was told' })).toBeVisible();
  await expect(detail(page).getByText('deniz@example.com')).toBeVisible();
  await page.goto('/dashboard-default');
  // The server can send no mail, which stays to be mended.
  await expect(attention).toHaveText(/^Needs you nowchecked [\d:]+“Frost on the slope” runs, but reaches nobody$/);
});

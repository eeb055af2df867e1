import { noticeTenant, path } from './noticeTenant.ts';
import { expectAccessible, expectNoHorizontalScroll } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { callApi, fetchApiData, openSignedIn } from './testUsers.ts';

const owner = { tenantName: 'roles', userName: 'deniz', password: 'long-enough-secret' };
const viewer = { ...owner, userName: 'guest' };
const operator = { ...owner, userName: 'olga' };

const farm = noticeTenant({
  person: owner,
  more: {
    users: [
      { userName: 'guest', password: owner.password, nickname: 'Neighbour', role: 'viewer' },
      { userName: 'olga', password: owner.password, nickname: 'Olga', role: 'operator' },
    ],
  },
  scene: 'Upper field',
  secret: '51d0c2aa7e934f68',
  devices: { 'RO-0001': 'Roles mast' },
});

let notice = 0;
test.beforeAll(async () => {
  await farm.apply();
  await fetchApiData(owner, 'POST', `${path}/notice-channel/create`, {
    noticeName: 'Night shift',
    noticeMode: ['email'],
    email: { emails: ['ada@example.com'] },
  });
  await farm.run('Frost of roles', 'RO-0001');
  await farm.measure('RO-0001', -3);
  notice = await farm.noticeOf('Frost of roles');
});

test('a viewer looks at everything, is offered nothing that changes it, and rehearses a rule', async ({ page }) => {
  await openSignedIn(page, viewer, '/dashboard-default');
  await expect(page.getByRole('link', { name: 'Frost of roles' }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^I am on it/ })).toHaveCount(0);

  await page.goto(`/inform?id=${notice}`);
  await expect(page.getByRole('heading', { name: /Frost of roles/ }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: /I am on it|Mark as solved/ })).toHaveCount(0);

  await page.goto('/device?device=RO-0001');
  await expect(page.getByRole('heading', { name: 'Roles mast' }).first()).toBeVisible();
  await expect(page.getByText('N-RO-0001', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Edit|New scene|New secret|Delete)/ })).toHaveCount(0);
  await expect(page.getByRole('link', { name: /^Edit/ })).toHaveCount(0);

  await page.goto('/notification');
  await expect(page.getByText('Night shift').first()).toBeVisible();
  const { data } = await callApi(viewer, 'GET', `${path}/notice-channel/page?pageNo=1&pageSize=10`);
  expect(data.list[0].email.emails).toEqual(['a•••@example.com']);
  await expect(page.getByRole('button', { name: /^(New channel|Test|Edit|Delete)/ })).toHaveCount(0);
  await expectAccessible(page);

  await page.goto('/alarm');
  await expect(page.getByRole('button', { name: /^(New rule|Stop|Run)/ })).toHaveCount(0);
  await page.getByRole('link', { name: 'View: Frost of roles' }).click();
  const rule = page.getByRole('dialog', { name: 'Rule' });
  await expect(rule.getByText('Saving needs an operator.')).toBeVisible();
  await expect(rule.getByText(/This rule would have/).first()).toBeVisible();
  await expect(rule.getByRole('button', { name: /Save/ })).toHaveCount(0);
  await expectAccessible(page);

  await page.goto('/profile');
  await expect(page.getByText('Viewer')).toBeVisible();
  await expect(page.getByRole('tab')).toHaveCount(2);
  await expect(page.getByRole('link', { name: /Activity/ })).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const at of ['/alarm', '/notification', '/device', '/profile']) {
    await page.goto(at);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectNoHorizontalScroll(page);
  }
});

test('an operator acknowledges, but sees no keys; a changed role holds from the next call on', async ({ page }) => {
  await openSignedIn(page, operator, '/profile');
  await expect(page.getByText('Operator')).toBeVisible();
  await expect(page.getByRole('tab')).toHaveCount(2);
  await page.goto(`/inform?id=${notice}`);
  const acknowledge = page.getByRole('button', { name: 'I am on it', exact: true });
  await expect(acknowledge).toBeVisible();

  const demoted = { name: owner.tenantName, users: [{ userName: 'olga', role: 'viewer' }] };
  await applyYaml(JSON.stringify({ tenants: [demoted] }), true);
  const answer = await callApi(operator, 'PUT', `${path}/alarm-notice/acknowledge`, { id: notice });
  expect(answer).toMatchObject({ code: 403, msg: expect.stringContaining('This needs an operator.') });
  // The page still offers it; after the refusal it knows.
  await acknowledge.click();
  await page.getByRole('dialog').getByRole('button', { name: 'I am on it' }).click();
  await page.getByRole('dialog', { name: 'Error' }).getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(acknowledge).toHaveCount(0);
});

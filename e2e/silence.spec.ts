import { addresses, applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// Why a device is silent.

const user = { tenantName: 'quarry', userName: 'selim', password: 'quiet-stones-at-noon' };
const secret = 'e2e-qu-mast-7c01f5b2e94da836';

test.beforeAll(() =>
  applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: user.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: user.userName, password: user.password, nickname: 'Selim' }],
          devices: [{ deviceName: 'QU-MAST', serial: 'Q-1', noteName: 'Quiet mast', product: 'weather-mast', secret }],
        },
      ],
    }),
  ),
);

test('from the list of devices to why one is silent takes two clicks at most', async ({ page }) => {
  await openSignedIn(page, user, '/');
  let clicks = 0;
  const click = async (name: string, within = page.getByRole('main')) => {
    clicks++;
    await within.getByRole('link', { name, exact: true }).first().click();
  };
  await click('Equipment center', page.getByRole('navigation'));
  await click('Quiet mast');
  const sheet = page.getByRole('dialog', { name: 'Quiet mast', exact: true });
  const why = sheet.getByRole('region', { name: 'Why it is silent' });
  await expect(why).toContainText('It has not reported once since it was added');
  await expect(why).toContainText('Check its power and reception');
  expect(clicks).toBeLessThanOrEqual(2);

  // Its secret is replaced, and it goes on with the old one.
  await sheet.getByRole('button', { name: 'New secret' }).click();
  const question = page.getByRole('dialog', { name: 'Make a new secret?', exact: true });
  await question.getByRole('checkbox', { name: 'End the other secrets at once' }).check();
  await question.getByRole('button', { name: 'Make secret' }).click();
  const shown = page.getByRole('dialog', { name: 'Keep the secret now', exact: true });
  await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  const answer = await fetch(`http://127.0.0.1:${addresses().port}/api/v1/${secret}/telemetry`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"airTemperature": 3.4}',
  });
  expect(answer.status).toBe(401);
  await page.reload();
  await expect(why).toContainText('It still uses a secret that is no longer valid');
  await expect(why).toContainText('1 sign-in was refused');
  await expect(why.getByRole('button', { name: 'New secret' })).toBeVisible();
});

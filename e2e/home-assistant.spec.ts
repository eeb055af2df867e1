import type { Page } from '@playwright/test';
import { publish } from './device.ts';
import { HomeBroker } from './homeBroker.ts';
import { button, expectLive, toast } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// A farm's devices get into Home Assistant: switched on, with a wrong password first, followed, switched
// off. The broker is on this machine, which the server under test may call.

const grower: TestUser = { tenantName: 'lamplight', userName: 'deniz', password: 'where-the-lamps-are-lit' };
const secret = 'e2e-lamplight-61f0c2ab97de4503';
const brokerUser = 'tilth';
const brokerPassword = 'lamps-and-lanterns';
const config = 'homeassistant/sensor/tilth_LL-01/airTemperature/config';
const state = 'tilth/lamplight/LL-01/state';

const broker = new HomeBroker(brokerUser, brokerPassword);

test.beforeAll(async () => {
  await broker.start();
  await applyYaml(`
tenants:
  - name: lamplight
    hosts: [lamplight.localhost]
    timeZone: Europe/Istanbul
    language: tr-tr
    users: [{userName: deniz, password: ${grower.password}, nickname: Deniz}]
    devices:
      - {deviceName: LL-01, serial: L-1, noteName: Lamp mast, product: weather-mast, secret: ${secret}}
`);
});
test.afterAll(() => broker.stop());

const form = (page: Page) => page.getByRole('form', { name: 'Home Assistant' });
const status = (page: Page) => page.getByRole('status').filter({ hasText: /Off|Connect|Not connected/ });
const retained = (topic: string) => JSON.parse(broker.retained.get(topic) ?? 'null');

test('a farm’s devices get into Home Assistant, and leave it', async ({ page }) => {
  await openSignedIn(page, grower, '/profile?tab=home-assistant');
  await expect(status(page)).toContainText('Off');
  await expectLive(page);
  await form(page).getByRole('switch').click();
  await form(page)
    .getByLabel(/^Address/)
    .fill(broker.url);
  await form(page).getByLabel('User name').fill(brokerUser);
  await form(page).getByLabel('Password', { exact: true }).fill('wrong');
  await button(page, 'Save').click();
  await expect(status(page)).toContainText('The broker refuses the user name and password');

  await form(page).getByLabel('Password', { exact: true }).fill(brokerPassword);
  await form(page).getByLabel('Password', { exact: true }).press('Enter');
  await expect(status(page)).toContainText(/^Connected.*Devices1Attributes/);
  expect(retained(config)).toMatchObject({
    name: 'Hava sıcaklığı', // in the farm's language
    device_class: 'temperature',
    unit_of_measurement: '°C',
    state_topic: state,
    device: { name: 'Lamp mast' },
  });
  await expect(form(page).getByText('A password is stored.')).toBeVisible();
  expect(await page.content()).not.toContain(brokerPassword);
  await form(page).getByText('More', { exact: true }).click();
  await expect(form(page).getByLabel('Base topic')).toHaveValue('tilth/lamplight');

  await publish('LL-01', secret, { airTemperature: 3.9, airHumidity: 80 });
  await expect.poll(() => retained(state)?.airTemperature).toBe(3.9);
  broker.forget();
  await broker.startHomeAssistant();
  await expect.poll(() => broker.retained.has(config) && broker.retained.has(state)).toBe(true);

  await form(page).getByRole('switch').click();
  await button(page, 'Save').click();
  await expect(toast(page, 'Saved').first()).toBeVisible();
  await expect(status(page)).toContainText('Off');
  await expect.poll(() => [...broker.retained.keys()]).toEqual([]);
});

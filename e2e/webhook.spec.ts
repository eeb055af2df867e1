import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { publish } from './device.ts';
import { button, expectAccessible, expectLive, expectNoHorizontalScroll, toast } from './pages.ts';
import { runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// Webhooks: created, tested, called for an alarm, changed and removed. The receiver listens on this
// machine, which the server under test may call.

const grower: TestUser = { tenantName: 'headland', userName: 'aylin', password: 'where-the-plough-turns' };
const secret = 'e2e-headland-3b91d06fa7c25e84';

interface ReceivedCall {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver that accepts calls, or answers as the test sets. */
class WebhookReceiver {
  heard: ReceivedCall[] = [];
  status = 200;
  private waiting: (() => void)[] = [];
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      this.heard.push({ headers: request.headers, body });
      response.writeHead(this.status).end('heard you\nin full');
      for (const go of this.waiting.splice(0)) go();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/tilth`;
  }

  /** Waits for the call of a type. */
  async call(type: string): Promise<ReceivedCall> {
    for (;;) {
      const found = this.heard.find(({ body }) => JSON.parse(body).type === type);
      if (found) return found;
      await new Promise<void>((go) => this.waiting.push(go));
    }
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Verifies a call's signature like a receiver does. */
function isSigned({ headers, body }: ReceivedCall, whsec: string): boolean {
  const key = Buffer.from(whsec.replace('whsec_', ''), 'base64');
  const mac = createHmac('sha256', key)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const given = Buffer.from(signature.replace('v1,', ''), 'base64');
      return given.length === mac.length && timingSafeEqual(given, mac);
    });
}

const receiver = new WebhookReceiver();
let address = '';

test.beforeAll(async () => {
  address = await receiver.start();
  await applyYaml(`
tenants:
  - name: headland
    hosts: [headland.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: aylin, password: ${grower.password}, nickname: Aylin}]
    scenes: [Strip]
    devices:
      - {deviceName: HL-01, serial: H-1, noteName: Strip mast, product: weather-mast, secret: ${secret}, scene: Strip}
`);
  await runFrostRule();
});
test.beforeEach(() => {
  receiver.status = 200;
  receiver.heard = [];
});
test.afterAll(() => receiver.stop());

const card = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });

/** Calls the server directly, without the forms. */
const callServer = (method: string, path: string, body?: object) =>
  fetchApiData(grower, method, `/admin-api/client/pc/${path}`, body);

const runFrostRule = () => runRule(grower, 'HL-01', 'Frost on the strip', { manualRelease: 0 });

test('a webhook is created, tested, and called for an alarm', async ({ page }) => {
  await openSignedIn(page, grower, '/profile?tab=webhook');
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
  await button(page, 'New webhook').click();
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await form.getByLabel(/^Name/).fill('Frost fans');
  await form.getByLabel(/^Address/).fill('https://169.254.169.254/latest/meta-data');
  await form.getByRole('button', { name: 'Create webhook' }).click();
  await expect(form.getByRole('alert')).toContainText('needs the name of a host, not an IP address');
  await form.getByLabel(/^Address/).fill(address);
  await expectAccessible(page);
  // Reads the answer on its way to the page: the browser does not keep it for long.
  let made = { id: 0, secret: '' };
  await page.route('**/webhook/create', async (route) => {
    const response = await route.fetch();
    made = (await response.json()).data;
    await route.fulfill({ response });
  });
  await form.getByLabel(/^Address/).press('Enter');
  await expect.poll(() => made.secret).not.toBe('');
  const { id, secret: whsec } = made;
  await expect(toast(page, 'Webhook created')).toBeVisible();
  const shown = page.getByRole('dialog', { name: 'Keep the secret now' });
  await expect(shown.getByText(whsec, { exact: true })).toBeVisible();
  await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();

  const ownCard = card(page, 'Frost fans');
  await button(page, 'Test: Frost fans').click();
  await expect(ownCard.getByText(/^The program took it/)).toBeVisible();
  await expect(ownCard.getByText('200 heard you', { exact: true })).toBeVisible();
  expect(isSigned(await receiver.call('webhook.test'), whsec)).toBe(true);
  await button(page, 'Deliveries: Frost fans').click();
  await expect(ownCard.getByText('Nothing yet: it is told of the next alarm.')).toBeVisible();
  await expectAccessible(page);

  await expectLive(page);
  await publish('HL-01', secret, { airTemperature: 0.5, airHumidity: 80 });
  const opened = await receiver.call('notice.opened');
  expect(isSigned(opened, whsec)).toBe(true);
  expect(JSON.parse(opened.body).data).toMatchObject({
    title: 'Frost on the strip',
    level: 'serious',
    status: 'open',
    deviceName: 'HL-01',
  });
  // The list shows new deliveries live.
  const deliveryLink = ownCard.getByRole('link', { name: 'Began: Frost on the strip' });
  await expect(deliveryLink).toBeVisible();
  await expect(ownCard.getByText('Sent', { exact: true })).toBeVisible();
  expect(await page.content()).not.toContain(whsec);

  // The notice's history shows it, too.
  await deliveryLink.click();
  const notice = page.getByRole('region', { name: 'Notice' });
  await expect(notice.getByText(new URL(address).host)).toBeVisible();
  await expect(notice.getByText('Frost fans')).toBeVisible();
  await publish('HL-01', secret, { airTemperature: 6, airHumidity: 80 });
  const resolved = JSON.parse((await receiver.call('notice.resolved')).body);
  expect(resolved.data).toMatchObject({
    status: 'resolved',
    resolvedBy: 'itself',
    id: JSON.parse(opened.body).data.id,
  });
  await callServer('DELETE', `webhook/delete?id=${id}`);
});

test('a webhook whose receiver is gone is switched off; it is changed, and removed', async ({ page }) => {
  const name = 'Frost alarm';
  const events = ['opened', 'resolved'];
  await callServer('POST', 'webhook/create', { name, url: `${address}/gone`, events, alarmLevel: 0, enabled: true });
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, grower, '/profile?tab=webhook');
  const ownCard = card(page, name);
  await expect(ownCard).toBeVisible();
  await expectNoHorizontalScroll(page);
  receiver.status = 410;
  await publish('HL-01', secret, { airTemperature: -1, airHumidity: 80 });
  await receiver.call('notice.opened');
  await expect(async () => {
    await page.reload();
    await expect(ownCard.getByText(/answered that it is gone \(410\)/)).toBeVisible({ timeout: 1000 });
  }).toPass();
  await button(page, 'Switch on: Frost alarm').click();
  await expect(button(page, 'Switch off: Frost alarm')).toBeVisible();
  await expect(ownCard.getByText(/answered that it is gone/)).toBeHidden();

  await button(page, 'Edit webhook: Frost alarm').click();
  const form = page.getByRole('dialog', { name: 'Edit webhook' });
  await form.getByRole('checkbox', { name: 'Alarm ends' }).uncheck();
  await form.getByLabel('Which alarms').selectOption('Serious only');
  await expectNoHorizontalScroll(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(ownCard.getByText('Alarm begins · Serious only')).toBeVisible();
  await expectAccessible(page);

  await button(page, 'Delete: Frost alarm').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await expect(ownCard).toBeHidden();
});

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { publish } from './device.ts';
import { button, expectLive, toast } from './pages.ts';
import { runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// Webhooks: created, tested, called for an alarm, and switched off by their receiver. The receiver listens on this
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
  await runRule(grower, 'HL-01', 'Frost on the strip', { manualRelease: 0 });
});
test.afterAll(() => receiver.stop());

const card = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });

test('a webhook is created, tested, called for an alarm, and switched off once its receiver is gone', async ({
  page,
}) => {
  await openSignedIn(page, grower, '/profile?tab=webhook');
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
  await button(page, 'New webhook').click();
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await form.getByLabel(/^Name/).fill('Frost fans');
  await form.getByLabel(/^Address/).fill(address);
  // Reads the answer on its way to the page: the browser does not keep it for long.
  let whsec = '';
  await page.route('**/webhook/create', async (route) => {
    const response = await route.fetch();
    whsec = (await response.json()).data.secret;
    await route.fulfill({ response });
  });
  await form.getByLabel(/^Address/).press('Enter');
  await expect.poll(() => whsec).not.toBe('');
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

  receiver.status = 410;
  await page.goto('/profile?tab=webhook');
  await expectLive(page);
  await publish('HL-01', secret, { airTemperature: -1, airHumidity: 80 });
  await expect(ownCard.getByText(/answered that it is gone \(410\)/)).toBeVisible();
  await button(page, 'Switch on: Frost fans').click();
  await expect(button(page, 'Switch off: Frost fans')).toBeVisible();
  await expect(ownCard.getByText(/answered that it is gone/)).toBeHidden();
});

import { type At, phonesOnly, type Visit } from './layoutChecks.ts';
import { dialogOf, fill, press } from './layoutSteps.ts';
import { striped } from './picture.ts';

// The profile with its tabs and dialogs.

const enrolment = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Tilth:layout?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Tilth',
};
const recoveryCodes = Array.from({ length: 10 }, (_, i) => `ABCD-EFGH-${i}JKM`);

async function turnOn(at: At): Promise<void> {
  await press(at, at.say('factor.confirm'));
  await dialogOf(at, at.say('factor.title.turnOn')).getByRole('textbox').first().fill('x');
  await press(at, at.say('factor.verb.turnOn'));
  await dialogOf(at, at.say('factor.setUp'))
    .getByRole('textbox', { name: at.say('factor.code') })
    .waitFor();
}

/** Passwords with the strength that the page tells of them. */
const passwords = {
  short: 'short',
  weak: 'sunshine',
  fair: 'xk4Tq9Zp',
  good: 'xk4Tq9Zp2v',
  strong: 'pump lantern violet river',
};

const strengthVisits = Object.entries(passwords).map(
  ([level, password]): Visit => ({
    name: `a password that is ${level}`,
    path: '/profile?tab=password',
    only: phonesOnly,
    open: async ({ page, say }) => {
      await page
        .getByRole('textbox', { name: say('password.new') })
        .first()
        .fill(password);
      await page.getByText(say(`password.strength.level.${level}`), { exact: true }).waitFor();
    },
  }),
);

const keyName = 'Имя настолько длинное, насколько бывают имена у ключей программ';
const newKey = async (at: At) => {
  await press(at, at.say('app.new'));
  await dialogOf(at, at.say('app.new')).waitFor();
};
const moreFor = (name: string, key: string) => async (at: At) => {
  await press(at, at.say('people.more', { name }));
  await at.page.getByRole('menuitem', { name: at.say(key), exact: true }).click();
};
const broker = {
  enabled: true,
  url: 'mqtts://a-rather-long-name-of-a-broker.farm.example:8883',
  userName: 'дом',
  hasPassword: true,
  discoveryPrefix: 'homeassistant',
  baseTopic: 'tilth/layout',
  since: Date.UTC(2026, 10, 20),
  devices: 12,
  entities: 48,
};
const neighbour = 'Соседка с длинным именем';
const hook = 'Вентиляторы против заморозков';

export const profileVisits = (user: object): Visit[] => [
  { name: 'the profile', path: '/profile' },
  {
    name: 'the errors of the profile',
    path: '/profile',
    open: async (at) => {
      await fill(at, at.say('profile.nickname'), ' ');
      await fill(at, at.say('profile.email'), '@');
      await press(at, at.say('common.save'));
    },
  },
  { name: 'the dialog of the phone number', path: '/profile', open: (at) => press(at, at.say('profile.update')) },
  { name: 'the dialog of the picture', path: '/profile', open: (at) => press(at, at.say('avatar.change')) },
  {
    name: 'the part of a picture that is kept',
    path: '/profile',
    open: async (at) => {
      await press(at, at.say('avatar.change'));
      await at.page.locator('input[type="file"]').setInputFiles({
        name: '我.png',
        mimeType: 'image/png',
        buffer: striped(300, [[300, [90, 140, 60]]]),
      });
      await at.page.getByRole('button', { name: at.say('avatar.use'), exact: true }).waitFor();
    },
  },
  {
    name: 'a picture that cannot be used',
    path: '/profile',
    open: async (at) => {
      await press(at, at.say('avatar.change'));
      await at.page.locator('input[type="file"]').setInputFiles({
        name: '我.png',
        mimeType: 'image/png',
        buffer: Buffer.from('GIF89a, by its first bytes'),
      });
      await at.page.getByText(at.say('avatar.wrongKind')).waitFor();
    },
  },
  { name: 'the password and the second factor', path: '/profile?tab=password' },
  ...strengthVisits,
  {
    name: 'the second factor is set up',
    keeps: true,
    path: '/profile?tab=password',
    answers: { 'totp/begin': enrolment },
    open: turnOn,
  },
  {
    name: 'the recovery codes',
    keeps: true,
    path: '/profile?tab=password',
    answers: { 'totp/begin': enrolment, 'totp/confirm': { recoveryCodes } },
    open: async (at) => {
      await turnOn(at);
      await dialogOf(at, at.say('factor.setUp'))
        .getByRole('textbox', { name: at.say('factor.code') })
        .fill('123456');
      await dialogOf(at, at.say('factor.setUp'))
        .getByRole('button', { name: at.say('factor.confirm') })
        .click();
      await dialogOf(at, at.say('factor.codes.title')).waitFor();
    },
  },
  {
    name: 'a second factor that is required',
    path: '/profile?tab=password',
    answers: {
      'user/get': { ...user, secondFactor: true, secondFactorRequired: true },
    },
  },
  {
    name: 'an account of the farm’s own sign-in',
    path: '/profile',
    answers: { 'user/get': { ...user, oidc: { name: 'вход.пример', linked: true } } },
  },
  { name: 'people', path: '/profile?tab=people' },
  {
    name: 'the question whether everybody needs a second factor',
    path: '/profile?tab=people',
    answers: { 'user/get': { ...user, secondFactor: true, secondFactorRequired: false } },
    open: ({ page, say }) => page.getByRole('switch', { name: say('people.factor.title') }).click(),
  },
  {
    name: 'the invitation of a person',
    path: '/profile?tab=people',
    open: async (at) => {
      await press(at, at.say('people.invite'));
      await at.page.getByRole('radio', { name: at.say('people.form.link') }).check({ force: true });
    },
  },
  {
    name: 'the link of an invitation',
    keeps: true,
    path: '/profile?tab=people',
    answers: {
      'people/invite': {
        id: 1,
        expiresTime: Date.UTC(2030, 0, 1),
        link: 'https://farm.example/invitation#gaL3hAb4dFfOmi6bkuU4A4Lzo-Y7AFjI31GLA0',
      },
    },
    open: async (at) => {
      await press(at, at.say('people.invite'));
      await at.page.getByRole('radio', { name: at.say('people.form.link') }).check({ force: true });
      await fill(at, at.say('profile.nickname'), '邻居');
      await press(at, at.say('people.form.make'));
      await dialogOf(at, at.say('people.link.title')).waitFor();
    },
  },
  {
    name: 'the change of a person',
    path: '/profile?tab=people',
    open: (at) => press(at, `${at.say('people.change')}: ${neighbour}`),
  },
  {
    name: 'more for a person',
    path: '/profile?tab=people',
    open: (at) => press(at, at.say('people.more', { name: neighbour })),
  },
  {
    name: 'the question whether to disable a person',
    path: '/profile?tab=people',
    open: moreFor(neighbour, 'people.disable'),
  },
  {
    name: 'people of the provider',
    path: '/profile?tab=people',
    answers: {
      'people/page': { whole: { code: 601, data: null, msg: '由供应商管理' } },
    },
  },
  { name: 'keys', path: '/profile?tab=app' },
  { name: 'no keys', path: '/profile?tab=app', answers: { 'apicredentials/page': { list: [], total: 0 } } },
  { name: 'a new key', path: '/profile?tab=app', open: newKey },
  {
    name: 'a new key for some days, with errors',
    path: '/profile?tab=app',
    open: async (at) => {
      await newKey(at);
      await at.page.getByRole('combobox', { name: at.say('app.expiryTime') }).selectOption(at.say('app.expiry.day'));
      await press(at, at.say('app.create'));
    },
  },
  {
    name: 'the secret of a new key',
    keeps: true,
    path: '/profile?tab=app',
    answers: { 'apicredentials/create': { appKey: 'a'.repeat(24), appSecret: 'b'.repeat(43) } },
    open: async (at) => {
      await newKey(at);
      await dialogOf(at, at.say('app.new')).getByRole('textbox').first().fill('钥匙');
      await press(at, at.say('app.create'));
      await dialogOf(at, at.say('app.secretTitle')).waitFor();
    },
  },
  {
    name: 'the question whether to close a key',
    path: '/profile?tab=app',
    open: (at) => press(at, `${at.say('app.close')}: ${keyName}`),
  },
  {
    name: 'the question whether to delete a key',
    path: '/profile?tab=app',
    open: (at) => press(at, `${at.say('common.delete')}: ${keyName}`),
  },
  { name: 'no webhooks', path: '/profile?tab=webhook', answers: { 'webhook/page': { list: [], total: 0 } } },
  {
    name: 'webhooks with deliveries',
    path: '/profile?tab=webhook',
    open: (at) => press(at, `${at.say('webhook.deliveries')}: ${hook}`),
  },
  {
    name: 'a new webhook, with errors',
    path: '/profile?tab=webhook',
    open: async (at) => {
      await press(at, at.say('webhook.new'));
      await press(at, at.say('webhook.create'));
    },
  },
  {
    name: 'the change of a webhook',
    path: '/profile?tab=webhook',
    open: (at) => press(at, `${at.say('webhook.edit')}: ${hook}`),
  },
  {
    name: 'the question for a new secret of a webhook',
    path: '/profile?tab=webhook',
    open: (at) => press(at, `${at.say('webhook.newSecret')}: ${hook}`),
  },
  {
    name: 'the question whether to delete a webhook',
    path: '/profile?tab=webhook',
    open: (at) => press(at, `${at.say('common.delete')}: ${hook}`),
  },
  {
    name: 'Home Assistant with all its fields',
    path: '/profile?tab=home-assistant',
    open: async ({ page, say }) => {
      await page.getByRole('switch').click();
      await page.locator('summary').click();
      await page
        .getByRole('form')
        .getByRole('button', { name: say('common.save') })
        .click();
    },
  },
  {
    name: 'Home Assistant, connected',
    path: '/profile?tab=home-assistant',
    answers: { 'integration/home-assistant': { ...broker, state: 'connected' } },
  },
  {
    name: 'Home Assistant whose broker refuses',
    path: '/profile?tab=home-assistant',
    answers: {
      'integration/home-assistant': {
        ...broker,
        state: 'failed',
        error: '代理拒绝用户名和密码。请检查两者，然后再次保存。',
      },
    },
  },
];

import { type At, phonesOnly, type Visit } from './layoutChecks.ts';
import type { Farm } from './layoutData.ts';
import { dialogOf, fill, like, press } from './layoutSteps.ts';
import { captchaOf, dragTo } from './solveSlider.ts';

// The pages before signing in, what a person sees who may only look, and the demo pages.

async function signIn(at: At): Promise<void> {
  await fill(at, at.say('signin.userName'), '主');
  await at.page.locator('input[type=password]').fill('x');
  await at.page.locator('button[type=submit]').click();
}

async function openCaptcha(at: At): Promise<void> {
  await signIn(at);
  await at.page.locator('[data-phase="idle"]').waitFor();
}

/** What a right password is answered with by an account that needs more. */
const refusal = (data: object) => ({ whole: { code: 601, data: { ticket: 't', ...data }, msg: '还需要一步' } });
const enrolment = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Tilth:layout?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Tilth',
};

export const guestVisits = ({ settings, invitation }: Farm): Visit[] => {
  const noCaptcha = { 'console/settings': { ...settings, captcha: 'off' } };
  return [
    { name: 'the sign-in', path: '/signin', load: true },
    {
      name: 'the errors of the sign-in',
      path: '/signin',
      load: true,
      open: ({ page }) => page.locator('button[type=submit]').click(),
    },
    { name: 'the captcha', path: '/signin', load: true, open: openCaptcha },
    {
      name: 'the captcha after a failure',
      path: '/signin',
      load: true,
      open: async (at) => {
        await openCaptcha(at);
        // The result is shown for a second.
        await at.page.evaluate(() => {
          const wait = window.setTimeout.bind(window);
          window.setTimeout = ((act: () => void, ms?: number) =>
            wait(act, ms === 1000 ? 600_000 : ms)) as typeof setTimeout;
        });
        await dragTo(at.page, captchaOf(at.page).slider, 20);
        await at.page.locator('[data-phase="fail"]').waitFor();
      },
    },
    {
      name: 'the captcha without a picture',
      path: '/signin',
      load: true,
      answers: { 'captcha/get': { whole: { repCode: '6201', repMsg: '稍等', repData: null, success: false } } },
      open: async (at) => {
        await signIn(at);
        await at.page.getByText('稍等').waitFor();
      },
    },
    {
      name: 'the code of the second factor',
      load: true,
      path: '/signin',
      answers: { ...noCaptcha, 'auth/login-username': refusal({ codeRequired: true }) },
      open: async (at) => {
        await signIn(at);
        await at.page.getByRole('textbox', { name: at.say('signin.code.label') }).waitFor();
      },
    },
    {
      name: 'the second factor that is set up at the sign-in',
      load: true,
      path: '/signin',
      answers: {
        ...noCaptcha,
        'auth/login-username': refusal({ enrolRequired: true }),
        'auth/login-totp-begin': enrolment,
      },
      open: async (at) => {
        await signIn(at);
        await at.page.getByRole('textbox', { name: at.say('factor.code') }).waitFor();
      },
    },
    {
      name: 'the farm’s own sign-in, which had no role for the person',
      load: true,
      path: '/signin#oidc=norole',
      answers: { 'auth/ways': { password: true, oidc: { name: 'вход.пример', startUrl: '/start' } } },
    },
    { name: 'signing up', path: '/signup', load: true },
    { name: 'an invitation', path: `/invitation${invitation}`, load: true },
    { name: 'an invitation that no longer holds', path: '/invitation#dead', load: true },
    { name: 'an invitation without its end', path: '/invitation', load: true },
    { name: 'no such page', path: '/nowhere', load: true },
  ];
};

export const viewerVisits = ({ rules, notices, channels, invitation }: Farm): Visit[] => [
  { name: 'home of a viewer', path: '/dashboard-default' },
  { name: 'devices of a viewer', path: '/device' },
  { name: 'a device of a viewer', path: '/device?device=LA-LOW' },
  { name: 'adding a device as a viewer', path: '/device?add=new' },
  { name: 'rules of a viewer', path: '/alarm' },
  {
    name: 'a rule of a viewer',
    path: `/alarm?rule=${rules.one}`,
    open: (at) => dialogOf(at, at.say('rule.view')).waitFor(),
  },
  { name: 'channels of a viewer', path: '/notification' },
  { name: 'a channel of a viewer', path: `/notification?channel=${channels.used}` },
  { name: 'a notice of a viewer', path: `/inform?id=${notices.numbers}` },
  { name: 'the profile of a viewer', path: '/profile' },
  { name: 'the demo page of billing', path: '/billing' },
  { name: 'the demo page from right to left', path: '/rtl-page' },
  { name: 'the demo page of a picture', path: '/virtual-reality' },
  { name: 'an invitation where somebody is signed in', path: `/invitation${invitation}`, load: true },
  {
    name: 'no connection',
    path: '/data',
    load: true,
    open: async ({ page, say }) => {
      await page.getByRole('article').first().waitFor();
      await page.context().setOffline(true);
      await page.getByText(say('offline.none')).first().waitFor();
    },
    close: ({ page }) => page.context().setOffline(false),
  },
  {
    name: 'the data saver',
    path: '/data',
    only: phonesOnly,
    load: true,
    open: async (at) => {
      await press(at, at.say('settings.title'));
      await at.page.getByRole('switch', { name: at.say('saver.title') }).click();
      await at.page.keyboard.press('Escape');
      await at.page
        .getByRole('button', { name: like(at.say('saver.dayOf', { name: '#' })) })
        .first()
        .waitFor();
    },
    close: async (at) => {
      await press(at, at.say('settings.title'));
      await at.page.getByRole('switch', { name: at.say('saver.title') }).click();
    },
  },
];

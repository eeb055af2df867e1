import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { components } from '@/api/schema.gen';
import type { Credential } from '@/features/profile/apps/queries';
import { readCodeWait } from '@/features/profile/form/codeWait';
import { useFeedback } from '@/lib/feedback/feedback';
import { openConsole } from './console';
import { ok, onGet, onPost, onPut } from './server';
import { signedIn } from './session';
import { shellServer, tenantZone } from './shellServer';

export type User = components['schemas']['User'];

export const elif: User = {
  id: 7,
  userName: 'elif.kaya',
  nickname: 'Elif Kaya',
  email: 'elif@valley.example',
  mobile: '+905321144107',
  avatar: '',
  role: 'owner',
  language: 'en-us',
  loginDate: new Date('2026-11-21T05:58:00').getTime(),
  tenantName: 'Aydın Valley Growers',
  timeZone: tenantZone,
  secondFactor: false,
  secondFactorRequired: false,
};

export const credential = (id: number, change: Partial<Credential> = {}): Credential => ({
  id,
  name: `Key ${id}`,
  appKey: `tk_${id}`,
  role: 'owner',
  scopes: ['read', 'telemetry', 'webhooks'],
  enabled: 1,
  createTime: new Date('2026-03-12T09:00:00').getTime(),
  requests24h: 0,
  requests30d: 0,
  ...change,
});

export const enrolment = { secret: 'GEZDGNBVGY3TQOJQ', uri: 'otpauth://totp/Valley:elif?secret=GEZDGNBVGY3TQOJQ' };
export const recoveryCodes = ['7K3Q-9DMX-2B4F', '0000-1111-2222'];

/** The state of a test's server; `answers` take precedence, by path. Records the requests. */
export interface ProfileServer {
  user: User;
  sms: boolean;
  smsLogged: boolean;
  passwordMin: number;
  credentials: Credential[];
  answers: Map<string, () => Response | Promise<Response>>;
  asked: { path: string; sent: unknown }[];
}

export const paths = {
  user: '/app-api/member/user/get',
  update: '/app-api/member/user/update',
  password: '/app-api/member/user/update-password',
  mobile: '/app-api/member/user/update-mobile',
  totpBegin: '/app-api/member/user/totp/begin',
  totpConfirm: '/app-api/member/user/totp/confirm',
  totpDisable: '/app-api/member/user/totp/disable',
  totpCodes: '/app-api/member/user/totp/recovery-codes',
  bind: '/app-api/member/auth/validate-sms-code',
  send: '/app-api/member/auth/send-sms-code',
  avatar: '/admin-api/client/pc/user/update-avatar',
  create: '/admin-api/client/pc/apicredentials/create',
  remove: '/admin-api/client/pc/apicredentials/delete',
  toggle: '/admin-api/client/pc/apicredentials/enable-or-disable',
  page: '/admin-api/client/pc/apicredentials/page',
};

export function profileServer(change: Partial<ProfileServer> = {}): ProfileServer {
  signedIn();
  readCodeWait();
  shellServer();
  const state: ProfileServer = {
    user: { ...elif },
    sms: true,
    smsLogged: false,
    passwordMin: 6,
    credentials: [],
    answers: new Map(),
    asked: [],
    ...change,
  };
  onGet('/admin-api/client/pc/live', () => new Response('', { status: 503 }));
  onGet('/admin-api/system/console/settings', () =>
    ok({
      version: '0.1.0',
      defaultTenant: 'demo',
      mapTiles: null,
      captcha: 'off',
      demoPages: false,
      sms: state.sms,
      ...(state.smsLogged ? { smsLogged: true } : {}),
      passwordMin: state.passwordMin,
    }),
  );
  const body = async (on: typeof onPost, path: string, act: (sent: never) => unknown) =>
    on(path, async ({ request }) => {
      const sent = await request.json();
      state.asked.push({ path, sent });
      return (await state.answers.get(path)?.()) ?? ok(act(sent as never) as never);
    });
  const query = (path: string, act: (search: URLSearchParams) => unknown) =>
    onGet(path, async ({ request }) => {
      const search = new URL(request.url).searchParams;
      state.asked.push({ path, sent: Object.fromEntries(search) });
      return (await state.answers.get(path)?.()) ?? ok(act(search) as never);
    });

  query(paths.user, () => state.user);
  void body(onPut, paths.update, (sent: Partial<User>) => {
    state.user = { ...state.user, ...sent };
    return true;
  });
  void body(onPut, paths.password, () => true);
  const bind = ({ mobile }: { mobile: string }) => {
    state.user = { ...state.user, mobile };
    return true;
  };
  void body(onPut, paths.mobile, bind);
  void body(onPost, paths.bind, bind);
  void body(onPost, paths.send, () => true);
  const turn = (secondFactor: boolean) => {
    state.user = { ...state.user, secondFactor };
  };
  void body(onPost, paths.totpBegin, () => enrolment);
  void body(onPost, paths.totpConfirm, () => {
    turn(true);
    return { recoveryCodes };
  });
  void body(onPost, paths.totpDisable, () => {
    turn(false);
    return true;
  });
  void body(onPost, paths.totpCodes, () => ({ recoveryCodes }));
  void body(
    onPost,
    paths.create,
    ({ name, ...access }: Pick<Credential, 'name' | 'role' | 'scopes' | 'expiryTime'>) => {
      const made = credential(100 + state.credentials.length, { name, ...access });
      state.credentials = [made, ...state.credentials];
      return { id: made.id, name, appKey: made.appKey, appSecret: 'ts_secret', enabled: 1 };
    },
  );
  query(paths.page, (search) => {
    const [no, size] = [Number(search.get('pageNo')), Number(search.get('pageSize'))];
    return { list: state.credentials.slice((no - 1) * size, no * size), total: state.credentials.length };
  });
  query(paths.remove, (search) => {
    state.credentials = state.credentials.filter(({ id }) => id !== Number(search.get('id')));
    return true;
  });
  query(paths.toggle, (search) => {
    const wanted = search.get('enabled');
    const next = (enabled: number) => (wanted === null ? 1 - enabled : Number(wanted)) as 0 | 1;
    state.credentials = state.credentials.map((credential) =>
      credential.id === Number(search.get('id')) ? { ...credential, enabled: next(credential.enabled) } : credential,
    );
    return true;
  });
  return state;
}

/** Opens the profile and waits until it is rendered. */
export async function openProfile(address = '/profile') {
  const opened = await openConsole(address);
  await screen.findByRole('tablist');
  return { ...opened, person: userEvent.setup() };
}

export const toasts = () => useFeedback.getState().toasts.map(({ tone, title, text }) => ({ tone, title, text }));
export const sentTo = (server: ProfileServer, path: string) =>
  server.asked.filter((call) => call.path === path).map(({ sent }) => sent);

const leaving = '.ant-zoom-leave-active, .ant-fade-leave-active';

/** jsdom plays no animations, so the test dispatches the end of those with which dialogs close. */
const endAnimations = () =>
  act(async () => {
    for (const element of document.querySelectorAll(leaving)) element.dispatchEvent(new Event('transitionend'));
  });

/** Waits until no dialog, or not the given one, is on the screen. */
export async function waitForDialogClosed(found: () => Element | null = () => screen.queryByRole('dialog')) {
  await expect
    .poll(async () => {
      await endAnimations();
      return found();
    })
    .toBeNull();
}

/** Waits until the dialog of a name is on the screen, and the one that led to it is gone. */
export async function waitForDialog(name: string) {
  await expect
    .poll(async () => {
      await endAnimations();
      return screen.queryAllByRole('dialog');
    })
    .toEqual([expect.toSatisfy((dialog) => dialog === screen.queryByRole('dialog', { name }))]);
  return screen.getByRole('dialog', { name });
}

import { describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { ok, onDelete, onGet, onPost, onPut, refused } from '@/test/server';
import { signedIn, tokens } from '@/test/session';
import { useLanguage } from '../i18n/i18n';
import { onRenewedAfterRefusal, useSession } from '../session/session';
import { setTenant } from '../tenant/tenant';
import { api } from './api';

const unread = '/admin-api/client/pc/notify-message/get-unread-count';
const user = '/app-api/member/user/get';
const refresh = '/admin-api/system/auth/refresh-token';

/** A server that accepts only the newest token. */
function acceptsOnly(path: string, token: () => string, data: number | object) {
  const calls: string[] = [];
  onGet(path, ({ request }) => {
    const sent = request.headers.get('Authorization') ?? '';
    calls.push(sent);
    return sent === `Bearer ${token()}` ? ok(data) : refused(401, 'ended');
  });
  return calls;
}

describe('a call', () => {
  it('carries token, tenant, zone and language', async () => {
    signedIn();
    setTenant({ id: 42, name: 'greenfield', diy: null });
    await useLanguage.getState().setLanguage('tr-tr');
    let headers = new Headers();
    onGet(unread, ({ request }) => {
      headers = request.headers;
      return ok(3);
    });
    await expect(api.get(unread)).resolves.toBe(3);
    expect(headers.get('Authorization')).toBe('Bearer access-1');
    expect(headers.get('tenant-id')).toBe('42');
    expect(headers.get('Accept-Language')).toBe('tr-tr');
    expect(headers.get('Time-Zone')).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it('sends tenant 1 until a look-up returns another, and no token without a session', async () => {
    let headers = new Headers();
    onGet('/admin-api/system/console/settings', ({ request }) => {
      headers = request.headers;
      return ok({ version: '1', defaultTenant: 'demo', mapTiles: null });
    });
    await api.get('/admin-api/system/console/settings');
    expect(headers.get('tenant-id')).toBe('1');
    expect(headers.has('Authorization')).toBe(false);
  });

  it('returns 0 and false unchanged, and rejects null except where it is a valid answer', async () => {
    onGet(unread, () => ok(0));
    await expect(api.get(unread)).resolves.toBe(0);
    onGet(unread, () => ok(null));
    await expect(api.get(unread)).rejects.toMatchObject({ code: 404 });
    onGet('/admin-api/system/tenant/get-by-website', () => ok(null));
    await expect(api.find('/admin-api/system/tenant/get-by-website', { query: { website: 'x' } })).resolves.toBeNull();
  });

  it('sends lists in the contract’s format', async () => {
    let search = '';
    onGet('/admin-api/client/pc/device/deviceNames/get', ({ request }) => {
      search = new URL(request.url).search;
      return ok({ list: [], total: 0 });
    });
    await api.get('/admin-api/client/pc/device/deviceNames/get', { query: { deviceNames: ['A', 'B'], pageNo: 1 } });
    expect(search).toBe('?deviceNames=A,B&pageNo=1');
  });
});

describe('a call refused with 401', () => {
  it('renews the session once for all waiting calls, and sends each again once', async () => {
    signedIn();
    let token = 'access-2';
    const unreadCalls = acceptsOnly(unread, () => token, 3);
    const userCalls = acceptsOnly(user, () => token, { id: 7 });
    const requests: string[] = [];
    const open = gate();
    onPost(refresh, async ({ request }) => {
      requests.push(new URL(request.url).searchParams.get('refreshToken') ?? '');
      await open.passed;
      return ok(tokens('2'));
    });
    const renewed = vi.fn();
    const stop = onRenewedAfterRefusal(renewed);

    const answers = Promise.all([api.get(unread), api.get(user), api.get(unread)]);
    await vi.waitFor(() => expect(unreadCalls.length + userCalls.length).toBe(3));
    expect(renewed).not.toHaveBeenCalled();
    open.open();

    await expect(answers).resolves.toEqual([3, { id: 7 }, 3]);
    expect(requests).toEqual(['refresh-1']);
    expect(unreadCalls).toEqual(['Bearer access-1', 'Bearer access-1', 'Bearer access-2', 'Bearer access-2']);
    expect(userCalls).toEqual(['Bearer access-1', 'Bearer access-2']);
    // The console starts over at / once, not once for each call.
    expect(renewed).toHaveBeenCalledTimes(1);
    stop();

    token = 'access-none';
    onPost(refresh, () => ok(tokens('3')));
    await expect(api.get(unread)).rejects.toMatchObject({ code: 401 });
    expect(unreadCalls).toHaveLength(6);
  });

  it('uses a token that was renewed meanwhile', async () => {
    signedIn();
    const arrived = gate();
    const answer = gate();
    const calls: string[] = [];
    onGet(unread, async ({ request }) => {
      calls.push(request.headers.get('Authorization') ?? '');
      if (calls.length > 1) return ok(3);
      arrived.open();
      await answer.passed;
      return refused(401);
    });
    const renewed = vi.fn();
    const stop = onRenewedAfterRefusal(renewed);
    const call = api.get(unread);
    await arrived.passed;
    signedIn({ accessToken: 'access-other-tab' });
    answer.open();
    await expect(call).resolves.toBe(3);
    expect(calls).toEqual(['Bearer access-1', 'Bearer access-other-tab']);
    expect(renewed).not.toHaveBeenCalled();
    stop();
  });

  it('ends at the sign-in page when the session cannot be renewed', async () => {
    signedIn();
    acceptsOnly(unread, () => 'none', 3);
    onPost(refresh, () => refused(401, 'expired'));
    await expect(api.get(unread)).rejects.toMatchObject({ code: 401 });
    expect(useSession.getState()).toEqual({ session: null, ended: 'lost' });
  });

  it('does not renew when nobody was signed in', async () => {
    onGet(unread, () => refused(401));
    await expect(api.get(unread)).rejects.toMatchObject({ code: 401 });
    expect(useSession.getState().ended).toBeNull();
  });
});

describe('a change', () => {
  const update = '/app-api/member/user/update';
  const create = '/admin-api/client/pc/apicredentials/create';
  const duplicate = { code: 601, kind: 'duplicate', msg: 'data is being processed' };

  it('is sent with its content', async () => {
    signedIn();
    let seen: unknown;
    onPut(update, async ({ request }) => {
      seen = [request.headers.get('Authorization'), await request.json()];
      return ok(true);
    });
    await expect(api.put(update, { body: { nickname: 'Elif' } })).resolves.toBe(true);
    expect(seen).toEqual(['Bearer access-1', { nickname: 'Elif' }]);
  });

  it('is refused as a duplicate within a second, and accepted with other content', async () => {
    const sent: unknown[] = [];
    onPut(update, async ({ request }) => {
      sent.push(await request.json());
      return ok(true);
    });
    onPost(create, async ({ request }) => {
      sent.push(await request.json());
      return ok({ id: 1, name: 'x', appKey: 'k', appSecret: 's', enabled: 1 });
    });
    const twice = [api.put(update, { body: { nickname: 'A' } }), api.put(update, { body: { nickname: 'A' } })];
    await expect(twice[1]).rejects.toMatchObject(duplicate);
    await twice[0];
    await api.put(update, { body: { nickname: 'B' } });
    await api.post(create, { body: { name: 'A' } });
    await expect(api.post(create, { body: { name: 'A' } })).rejects.toMatchObject(duplicate);
    expect(sent).toEqual([{ nickname: 'A' }, { nickname: 'B' }, { name: 'A' }]);
  });

  it('is sent again after 401 despite the duplicate check', async () => {
    signedIn();
    onPost(refresh, () => ok(tokens('2')));
    const sent: unknown[] = [];
    onPut(update, async ({ request }) => {
      sent.push([request.headers.get('Authorization'), await request.json()]);
      return sent.length === 1 ? refused(401) : ok(true);
    });
    await expect(api.put(update, { body: { nickname: 'C' } })).resolves.toBe(true);
    expect(sent).toEqual([
      ['Bearer access-1', { nickname: 'C' }],
      ['Bearer access-2', { nickname: 'C' }],
    ]);
  });

  it('by DELETE has its query and no duplicate check', async () => {
    signedIn();
    const requests: string[] = [];
    onDelete('/admin-api/client/pc/group/delete', ({ request }) => {
      requests.push(new URL(request.url).search);
      return ok(true);
    });
    // The contract has no DELETE call yet.
    const remove = api.del as unknown as (path: string, options: object) => Promise<unknown>;
    await expect(remove('/admin-api/client/pc/group/delete', { query: { id: 4 } })).resolves.toBe(true);
    await remove('/admin-api/client/pc/group/delete', { query: { id: 4 } });
    expect(requests).toEqual(['?id=4', '?id=4']);
  });
});

describe('an upload', () => {
  const avatar = '/admin-api/client/pc/user/update-avatar';
  const picture = (name: string) => new File(['picture'], name, { type: 'image/png' });

  it('sends the file and the other parts, again after 401', async () => {
    signedIn();
    onPost(refresh, () => ok(tokens('2')));
    const sent: unknown[] = [];
    onPost(avatar, async ({ request }) => {
      const form = await request.formData();
      const file = form.get('avatarFile') as File;
      sent.push([request.headers.get('Authorization'), file.type, form.get('crop')]);
      return sent.length === 1 ? refused(401) : ok('/files/1.png');
    });
    await expect(api.upload(avatar, { parts: { avatarFile: picture('face.png'), crop: '0,0,64' } })).resolves.toBe(
      '/files/1.png',
    );
    expect(sent).toEqual([
      ['Bearer access-1', 'image/png', '0,0,64'],
      ['Bearer access-2', 'image/png', '0,0,64'],
    ]);
  });

  it('of the same file is refused within a second, of another file is not', async () => {
    let sent = 0;
    onPost(avatar, () => {
      sent += 1;
      return ok('/files/1.png');
    });
    const file = picture('a.png');
    await api.upload(avatar, { parts: { avatarFile: file } });
    await expect(api.upload(avatar, { parts: { avatarFile: file } })).rejects.toMatchObject({ code: 601 });
    await api.upload(avatar, { parts: { avatarFile: picture('b.png') } });
    await api.upload(avatar, { parts: { avatarFile: file, crop: '0,0,5' } });
    expect(sent).toBe(3);
  });
});

import { act, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setTenantZone, useTenantZone } from '@/lib/format/zone';
import { useLanguage } from '@/lib/i18n/i18n';
import { signOut } from '@/lib/session/session';
import { openConsole, untilFetched } from '@/test/console';
import { gate } from '@/test/gate';
import { ok, onGet } from '@/test/server';
import { signedIn } from '@/test/session';
import { shellServer } from '@/test/shellServer';

const asked: (string | null)[] = [];
const person = { id: 7, userName: 'elif', nickname: 'Elif', email: '', mobile: '', avatar: '', tenantName: 'Farm' };

/** A user in Berlin opens the console of a tenant near Istanbul. */
beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  asked.length = 0;
  shellServer();
  signedIn();
  onGet('/admin-api/client/pc/live', () => new Response('', { status: 503 }));
  onGet('/app-api/member/user/get', () => ok({ ...person, timeZone: 'Europe/Istanbul' }));
  onGet('/admin-api/client/pc/notify-message/my-page', ({ request }) => {
    asked.push(request.headers.get('Time-Zone'));
    return ok({ list: [], total: 0 });
  });
  return () => {
    setTenantZone(undefined);
    vi.unstubAllEnvs();
  };
});

const bar = () => within(screen.getByRole('banner'));

describe('times by the tenant’s clock', () => {
  it.each([
    ['en-us', 'Times in Europe/Istanbul (UTC+3)'],
    ['zh-cn', '时间按 Europe/Istanbul（UTC+3）'],
    ['tr-tr', 'Saatler Europe/Istanbul diliminde (UTC+3)'],
    ['ru-ru', 'Время в поясе Europe/Istanbul (UTC+3)'],
  ] as const)('are named in the bar where the reader’s differ, in %s', async (language, words) => {
    await useLanguage.getState().setLanguage(language);
    await openConsole('/message');
    expect(await bar().findByTitle(words)).toHaveTextContent('UTC+3');
  });

  it('carry no zone where the user’s clock shows the same', async () => {
    vi.stubEnv('TZ', 'Asia/Riyadh');
    await openConsole('/message');
    await expect.poll(() => useTenantZone.getState().zone).toBe('Europe/Istanbul');
    expect(bar().queryByText(/UTC/)).toBeNull();
  });

  it('determine the page’s calls, which wait until the zone is known', async () => {
    const answer = gate();
    onGet('/app-api/member/user/get', async () => {
      await answer.passed;
      return ok({ ...person, timeZone: 'Europe/Istanbul' });
    });
    await openConsole('/message');
    await screen.findByRole('banner');
    expect(asked).toEqual([]);
    answer.open();
    await expect.poll(() => asked).toContain('Europe/Istanbul');
    expect(asked).not.toContain('Europe/Berlin');
  });

  it('are cleared with the session: the next user may belong to another tenant', async () => {
    await openConsole('/message');
    await expect.poll(() => useTenantZone.getState().zone).toBe('Europe/Istanbul');
    await act(() => signOut());
    await expect.poll(() => useTenantZone.getState().zone).toBeUndefined();
  });

  it('do not delay a page once the zone is known, nor when fetching it fails', async () => {
    const answer = gate();
    setTenantZone('Europe/Istanbul');
    onGet('/app-api/member/user/get', async () => {
      await answer.passed;
      return ok({ ...person, timeZone: 'Europe/Istanbul' });
    });
    await openConsole('/message');
    await expect.poll(() => asked).toContain('Europe/Istanbul');
    answer.open();
  });

  it('do not take the page away while a user who could not be fetched is fetched again', async () => {
    const second = gate();
    let calls = 0;
    onGet('/app-api/member/user/get', async () => {
      calls += 1;
      if (calls > 1) await second.passed;
      return new Response('', { status: 500 });
    });
    const { client } = await openConsole('/profile');
    await expect.poll(() => calls).toBe(2);
    expect(await bar().findByRole('heading', { name: 'Profile' })).toBeVisible();
    second.open();
    await untilFetched(client);
    expect(screen.getByText('Your profile could not be fetched')).toBeVisible();
    expect(calls).toBe(2);
  });
});

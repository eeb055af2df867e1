import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openConsole } from '@/test/console';
import { ok, onGet } from '@/test/server';
import { signedIn } from '@/test/session';
import { shellServer } from '@/test/shellServer';

vi.mock('@/lib/live/useLive', () => ({
  useLive: () => undefined,
  useLiveStatus: () => ({ state: 'live', lastEventAt: null, storageStoppedAt: null }),
}));

const pages = [
  ['/billing', 'Billing'],
  ['/rtl-page', 'Right-to-left'],
  ['/virtual-reality', 'Virtual reality'],
  ['/signup', 'Sign up'],
] as const;

const settings = (demoPages: boolean) =>
  onGet('/admin-api/system/console/settings', () =>
    ok({ version: '0.1.0', defaultTenant: 'demo', mapTiles: null, captcha: 'off', demoPages, sms: false }),
  );

beforeEach(() => {
  shellServer();
});

describe('where the provider shows demo pages', () => {
  beforeEach(() => settings(true));

  it.each(pages)('%s is a demo page and says so', async (address, title) => {
    signedIn();
    await openConsole(address);
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible();
    expect(screen.getByRole('note')).toHaveTextContent('Demo page: sample data');
    await expect.poll(() => document.title).toBe(`${title} · Tilth`);
  });

  it('the virtual reality has no menu and no bar', async () => {
    signedIn();
    await openConsole('/virtual-reality');
    await screen.findByRole('heading', { name: 'Virtual reality' });
    expect(screen.queryByRole('navigation')).toBeNull();
    expect(screen.queryByRole('banner')).toBeNull();
  });

  it('the sign-up page needs no session, the others do', async () => {
    await openConsole('/signup');
    expect(await screen.findByRole('heading', { level: 1, name: 'Sign up' })).toBeVisible();
    for (const [address] of pages.slice(0, 3)) {
      const { router, unmount } = await openConsole(address);
      expect(router.state.location.pathname).toBe('/signin');
      unmount();
    }
  });

  it('the menu lists none of them', async () => {
    signedIn();
    await openConsole('/billing');
    await screen.findByRole('heading', { level: 1, name: 'Billing' });
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toContain('/dashboard-default');
    for (const [address] of pages) expect(links).not.toContain(address);
  });
});

describe('where the provider has switched them off', () => {
  beforeEach(() => settings(false));

  it.each(pages)('%s is an unknown page', async (address) => {
    signedIn();
    await openConsole(address);
    expect(await screen.findByRole('heading', { level: 1, name: 'There is no such page' })).toBeVisible();
    // The whole window, as for every other unknown address.
    expect(screen.queryByRole('navigation')).toBeNull();
  });
});

it('a demo page whose settings call fails shows the error of any page that fails to load', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onGet('/admin-api/system/console/settings', () => new Response(null, { status: 502 }));
  await openConsole('/signup');
  expect(await screen.findByRole('heading', { name: 'This page cannot be shown' })).toBeVisible();
});

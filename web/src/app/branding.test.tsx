import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setTenant, tenantId, useTenant } from '@/lib/tenant/tenant';
import { openConsole } from '@/test/console';
import { ok, onGet, refused } from '@/test/server';
import { signedIn } from '@/test/session';
import { shellServer } from '@/test/shellServer';

vi.mock('@/features/alarm/AlarmPage', () => import('@/test/PlainPage'));
vi.mock('@/lib/live/useLive', () => ({
  useLive: () => undefined,
  useLiveStatus: () => ({ state: 'live', lastEventAt: null, storageStoppedAt: null }),
}));

const lookUp = '/admin-api/system/tenant/get-by-website';
const ours = new URL('/favicon.svg', window.location.origin).href;
const icon = () => document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href;
const addresses = () =>
  [...document.querySelectorAll('[src],[href]')].flatMap((element) => [
    element.getAttribute('src') ?? '',
    element.getAttribute('href') ?? '',
  ]);

const greenfield = {
  title: 'Greenfield',
  content: 'Every field, every hour.',
  logo: 'https://greenfield.example/logo.png',
  background: 'https://greenfield.example/field.jpg',
  favicon: 'https://greenfield.example/icon.png',
};

beforeEach(() => {
  shellServer();
  document.head.innerHTML = `<link rel="icon" href="${ours}" type="image/svg+xml">`;
  document.title = '';
  return () => {
    document.head.innerHTML = '';
  };
});

describe('a tenant’s branding', () => {
  beforeEach(() => onGet(lookUp, () => ok({ id: 12, name: 'greenfield', diy: greenfield })));

  it('appears on the sign-in page', async () => {
    const { container } = await openConsole('/signin');
    expect((await screen.findAllByRole('img', { name: 'Greenfield' }))[0]).toHaveAttribute('src', greenfield.logo);
    expect(container.querySelector(`img[src="${greenfield.background}"]`)).not.toBeNull();
    expect(screen.getByText(greenfield.content)).toBeVisible();
    await expect.poll(() => document.title).toBe('Sign in · Greenfield');
    await expect.poll(icon).toBe(greenfield.favicon);
  });

  it.each([
    ['/alarm', 'Alarm center · Greenfield', true],
    ['/nowhere', 'There is no such page · Greenfield', false],
  ])('appears on %s', async (address, title, session) => {
    if (session) signedIn();
    await openConsole(address);
    expect((await screen.findAllByRole('img', { name: 'Greenfield' }))[0]).toHaveAttribute('src', greenfield.logo);
    await expect.poll(() => document.title).toBe(title);
    await expect.poll(icon).toBe(greenfield.favicon);
  });
});

describe('malicious branding', () => {
  it.each([
    'javascript:alert(1)',
    ' JAVASCRIPT:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml,<svg onload="alert(1)"/>',
    'blob:https://greenfield.example/1',
    'file:///etc/passwd',
  ])('is ignored: %s', async (address) => {
    const text = '<img src=x onerror=alert(1)>';
    onGet(lookUp, () =>
      ok({
        id: 12,
        name: 'greenfield',
        diy: { title: text, content: text, logo: address, background: address, favicon: address },
      }),
    );
    const { container } = await openConsole('/signin');
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
    expect(addresses().filter((value) => /^\s*(javascript|data|blob|file):/i.test(value))).toEqual([]);
    expect(container.querySelector('img')).toBeNull();
    expect(icon()).toBe(ours);
    expect(screen.getAllByRole('img', { name: 'Tilth' }).length).toBeGreaterThan(0);
  });
});

describe('a look-up that fails', () => {
  it.each([
    ['the server refuses', () => refused(500)],
    ['the host has none', () => ok(null)],
  ])('removes the stored branding: %s', async (_, answer) => {
    setTenant({ id: 12, name: 'greenfield', diy: greenfield });
    onGet(lookUp, answer);
    await openConsole('/signin');
    await vi.waitFor(() => expect(useTenant.getState().tenant).toBeNull());
    await act(async () => undefined);
    expect(tenantId()).toBe(1);
    expect(localStorage.getItem('tilth.tenant')).not.toMatch(/12|greenfield/i);
    expect(document.title).toBe('Sign in · Tilth');
    expect(icon()).toBe(ours);
    expect(screen.queryByRole('img', { name: 'Greenfield' })).toBeNull();
  });
});

import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveEvent } from '@/lib/live/useLive';
import { openConsole } from '@/test/console';
import { setWidth } from '@/test/mediaQueries';
import { signedIn } from '@/test/session';
import { shellServer } from '@/test/shellServer';

const live = vi.hoisted(() => ({
  handlers: new Set<(events: readonly LiveEvent[]) => void>(),
  status: { state: 'live', lastEventAt: null, storageStoppedAt: null } as {
    state: 'live' | 'connecting' | 'offline';
    lastEventAt: number | null;
    storageStoppedAt: number | null;
  },
}));
// The stream has its own tests; this fake lets the test send events.
vi.mock('@/features/alarm/AlarmPage', () => import('@/test/PlainPage'));
vi.mock('@/lib/live/useLive', async () => {
  const { useEffect } = await import('react');
  return {
    useLive: (handler: (events: readonly LiveEvent[]) => void) => {
      useEffect(() => {
        live.handlers.add(handler);
        return () => {
          live.handlers.delete(handler);
        };
      }, [handler]);
    },
    useLiveStatus: () => live.status,
  };
});
const streamEvents = (...events: LiveEvent[]) =>
  act(() => {
    for (const handler of live.handlers) handler(events);
  });

let backend: ReturnType<typeof shellServer>;
beforeEach(() => {
  live.status = { state: 'live', lastEventAt: null, storageStoppedAt: null };
  backend = shellServer();
  signedIn();
});

const menu = () => screen.getByRole('navigation', { name: 'Main menu' });
const links = () => within(menu()).getAllByRole('link');

describe('the menu', () => {
  it('lists the screens in their order, and marks the current one', async () => {
    await openConsole('/alarm');
    await expect
      .poll(() => links().map((link) => link.textContent?.replace(/\d.*$/, '').trim()))
      .toEqual([
        'Home page',
        'Data center',
        'Equipment center',
        'Alarm center',
        'Alarm inform',
        'Notification channel',
        'Profile',
        'Message',
      ]);
    expect(links().map((link) => link.getAttribute('href'))).toEqual([
      '/dashboard-default',
      '/data',
      '/device',
      '/alarm',
      '/inform',
      '/notification',
      '/profile',
      '/message',
    ]);
    expect(within(menu()).getByRole('heading', { name: 'Personal Center' })).toBeVisible();
    const current = links().filter((link) => link.getAttribute('aria-current') === 'page');
    expect(current.map((link) => link.textContent?.trim())).toEqual(['Alarm center']);
  });

  it('leads to the pages, whose names appear in the top bar and in the tab', async () => {
    const { router } = await openConsole('/alarm');
    const person = userEvent.setup();
    expect(await screen.findByRole('heading', { level: 1, name: 'Alarm center' })).toBeVisible();
    await person.click(within(menu()).getByRole('link', { name: /^Notification channel/ }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Notification channel' })).toBeVisible();
    expect(within(screen.getByRole('banner')).getByRole('heading', { level: 1 })).toBeVisible();
    expect(router.state.location.pathname).toBe('/notification');
    await expect.poll(() => document.title).toBe('Notification channel · Tilth');
  });

  it('counts pending alarms and unread messages, and names what it counts', async () => {
    await openConsole('/alarm');
    expect(await screen.findByRole('link', { name: 'Alarm inform 2 pending alarms' })).toBeVisible();
    expect(await screen.findByRole('link', { name: 'Message 3 unread messages' })).toBeVisible();
    expect(screen.getByRole('button', { name: '3 unread messages' })).toHaveTextContent('3');
  });

  it('shows no number for zero', async () => {
    backend.unread = 0;
    backend.pending = 0;
    await openConsole('/alarm');
    expect(await screen.findByRole('button', { name: 'No unread messages' })).toHaveTextContent('');
    expect(screen.getByRole('link', { name: 'Alarm inform' })).toBeVisible();
  });
});

describe('live events', () => {
  it('update the numbers', async () => {
    await openConsole('/alarm');
    await screen.findByRole('button', { name: '3 unread messages' });
    backend.unread = 4;
    streamEvents({ name: 'message', data: {} });
    expect(await screen.findByRole('button', { name: '4 unread messages' })).toBeVisible();
    backend.pending = 1;
    streamEvents({ name: 'notice', data: {} });
    expect(await screen.findByRole('link', { name: 'Alarm inform 1 pending alarm' })).toBeVisible();
    backend.unread = 5;
    streamEvents({ name: 'reset' });
    expect(await screen.findByRole('button', { name: '5 unread messages' })).toBeVisible();
  });

  it('cause no call when they are readings', async () => {
    await openConsole('/alarm');
    await screen.findByRole('button', { name: '3 unread messages' });
    const before = backend.calls.length;
    streamEvents({ name: 'reading', data: { deviceName: 'WS-1', time: 1, values: {} } });
    expect(backend.calls).toHaveLength(before);
  });

  it.each([
    ['live', null, 'Live'],
    ['connecting', null, 'Connecting'],
    ['offline', null, 'Not live'],
  ] as const)('is %s at the foot of the menu', async (state, lastEventAt, words) => {
    live.status = { state, lastEventAt, storageStoppedAt: null };
    await openConsole('/alarm');
    expect(screen.getByText(words)).toBeVisible();
  });

  it('show the age of the data', async () => {
    live.status = { state: 'live', lastEventAt: Date.now() - 4_500, storageStoppedAt: null };
    await openConsole('/alarm');
    expect(screen.getByText(/^Live · last update \d+\ss\sago$/)).toBeVisible();
  });
});

describe('the top bar', () => {
  it('names the user', async () => {
    await openConsole('/alarm');
    const person = await screen.findByRole('link', { name: 'Elif Kaya' });
    expect(person).toHaveAttribute('href', '/profile');
    expect(person).toHaveTextContent('EK');
  });

  it('changes the language of everything at once', async () => {
    await openConsole('/alarm');
    const person = userEvent.setup();
    await person.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'Türkçe');
    expect(await screen.findByRole('heading', { level: 1, name: 'Alarm kuralları' })).toBeVisible();
    expect(await screen.findByRole('button', { name: '3 okunmamış mesaj' })).toBeVisible();
  });
});

describe('on a phone', () => {
  it('the bar at the bottom has the pages that are opened most often, with the pending alarms', async () => {
    setWidth(390);
    const { router } = await openConsole('/alarm');
    const bar = screen.getByRole('navigation', { name: 'Shortcuts' });
    await within(bar).findByRole('link', { name: /Alarm inform 2 pending alarms/ });
    expect(within(bar).queryByRole('link', { current: 'page' })).toBeNull();
    await userEvent.setup().click(within(bar).getByRole('link', { name: 'Data center' }));
    expect(router.state.location.pathname).toBe('/data');
    expect(within(bar).getByRole('link', { current: 'page' })).toHaveTextContent('Data center');
    setWidth(1440);
    expect(bar).not.toBeInTheDocument();
  });

  it('the menu is a drawer that closes when the user chooses an entry', async () => {
    setWidth(390);
    const { router } = await openConsole('/alarm');
    const person = userEvent.setup();
    await person.click(screen.getByRole('button', { name: 'More' }));
    const drawer = await screen.findByRole('dialog');
    await person.click(within(drawer).getByRole('link', { name: 'Data center' }));
    expect(router.state.location.pathname).toBe('/data');
    await expect.poll(() => screen.getByRole('button', { name: 'More' })).toHaveAttribute('aria-expanded', 'false');
  });

  it('the drawer names the user and links to the profile', async () => {
    setWidth(390);
    const { router } = await openConsole('/alarm');
    const person = userEvent.setup();
    await person.click(screen.getByRole('button', { name: 'More' }));
    const drawer = await screen.findByRole('dialog');
    await person.click(await within(drawer).findByRole('link', { name: 'Elif Kaya' }));
    expect(router.state.location.pathname).toBe('/profile');
  });

  it('the drawer closes with its button and with Escape', async () => {
    setWidth(390);
    await openConsole('/alarm');
    const person = userEvent.setup();
    const button = screen.getByRole('button', { name: 'More' });
    await person.click(button);
    await person.click(await screen.findByRole('button', { name: 'Close the menu' }));
    expect(button).toHaveAttribute('aria-expanded', 'false');
    await person.click(button);
    await screen.findByRole('dialog');
    await person.keyboard('{Escape}');
    expect(button).toHaveAttribute('aria-expanded', 'false');
  });
});

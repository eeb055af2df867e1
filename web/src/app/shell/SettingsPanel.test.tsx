import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useSession } from '@/lib/session/session';
import { followThemePreference, usePreferences } from '@/lib/storage/preferences';
import { openConsole } from '@/test/console';
import { onPost, refused } from '@/test/server';
import { signedIn } from '@/test/session';
import { shellServer } from '@/test/shellServer';

vi.mock('@/features/alarm/AlarmPage', () => import('@/test/PlainPage'));
vi.mock('@/lib/live/useLive', () => ({
  useLive: () => undefined,
  useLiveStatus: () => ({ state: 'live', lastEventAt: null, storageStoppedAt: null }),
}));

let backend: ReturnType<typeof shellServer>;
let stop: () => void;
beforeEach(() => {
  backend = shellServer();
  signedIn();
  stop = followThemePreference();
});
afterEach(() => stop());

async function open() {
  const { router, container } = await openConsole('/alarm');
  const person = userEvent.setup();
  await person.click(screen.getByRole('button', { name: 'Settings' }));
  const panel = await screen.findByRole('dialog', { name: 'Settings' });
  return { router, container, person, panel: within(panel) };
}

const stored = () => JSON.parse(localStorage.getItem('tilth.preferences') ?? '{}').state;

describe('the settings', () => {
  it('offer six sidebar colours by name; the choice applies at once and stays', async () => {
    const { person, panel, container } = await open();
    const group = within(panel.getByRole('group', { name: 'Sidebar colour' }));
    expect(group.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)).toEqual([
      'Primary',
      'Dark',
      'Info',
      'Success',
      'Warning',
      'Danger',
    ]);
    expect(group.getByRole('radio', { name: 'Primary' })).toBeChecked();
    await person.click(group.getByRole('radio', { name: 'Info' }));
    expect(group.getByRole('radio', { name: 'Info' })).toBeChecked();
    expect(container.querySelector('aside [data-color="info"]')).not.toBeNull();
    expect(stored().sidebarColor).toBe('info');
  });

  it('make the sidebar dark', async () => {
    const { person, panel, container } = await open();
    await person.click(within(panel.getByRole('group', { name: 'Sidebar type' })).getByRole('radio', { name: 'Dark' }));
    expect(container.querySelector('aside [data-theme="dark"]')).not.toBeNull();
    expect(document.documentElement.dataset.theme).toBe('light');
    expect(stored().sidebarType).toBe('dark');
  });

  it('let the bar scroll with the page, and turn on the dark mode', async () => {
    const { person, panel } = await open();
    const fixed = panel.getByRole('switch', { name: 'Fixed navbar' });
    expect(fixed).toBeChecked();
    expect(fixed).toHaveAccessibleDescription('Stays in sight while the page scrolls');
    await person.click(fixed);
    expect(usePreferences.getState().fixedNavbar).toBe(false);
    expect(document.querySelector('header')?.className).not.toContain('fixed');
    await person.click(panel.getByRole('switch', { name: 'Dark mode' }));
    expect(document.documentElement.dataset.theme).toBe('dark');
    expect(stored()).toMatchObject({ fixedNavbar: false, darkMode: true });
  });

  it('make the theme follow the system until dark or light is chosen again', async () => {
    const { person, panel } = await open();
    const [follow, dark] = ['Follow the system', 'Dark mode'].map((name) => panel.getByRole('switch', { name }));
    if (!follow || !dark) throw new Error('a switch is missing');
    await person.click(dark);
    await person.click(follow);
    expect(follow).toBeChecked();
    expect(dark).not.toBeChecked(); // as the test's system is
    expect(document.documentElement.dataset.theme).toBe('light');
    await person.click(dark);
    expect(follow).not.toBeChecked();
    expect(document.documentElement.dataset.theme).toBe('dark');
    expect(stored()).toMatchObject({ darkMode: true, followSystem: false });
  });

  it('turn on the data saver, which stays on in this browser', async () => {
    const { person, panel } = await open();
    const saver = panel.getByRole('switch', { name: 'Data saver' });
    expect(saver).not.toBeChecked();
    await person.click(saver);
    expect(saver).toBeChecked();
    expect(stored().saveData).toBe(true);
  });

  it('follow a choice in another tab', async () => {
    const { panel, container } = await open();
    const state = { sidebarColor: 'danger', sidebarType: 'dark', fixedNavbar: false, darkMode: true };
    localStorage.setItem('tilth.preferences', JSON.stringify({ state, version: 0 }));
    const newValue = localStorage.getItem('tilth.preferences');
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'tilth.preferences', newValue })));
    expect(panel.getByRole('radio', { name: 'Danger' })).toBeChecked();
    expect(
      within(panel.getByRole('group', { name: 'Sidebar type' })).getByRole('radio', { name: 'Dark' }),
    ).toBeChecked();
    expect(panel.getByRole('switch', { name: 'Fixed navbar' })).not.toBeChecked();
    expect(panel.getByRole('switch', { name: 'Dark mode' })).toBeChecked();
    expect(container.querySelector('aside [data-color="danger"][data-theme="dark"]')).not.toBeNull();
    expect(document.documentElement.dataset.theme).toBe('dark');
  });

  it('change the language', async () => {
    const { person, panel } = await open();
    await person.selectOptions(panel.getByRole('combobox', { name: 'Language' }), '简体中文');
    expect(await panel.findByRole('heading', { name: '设置' })).toBeVisible();
    expect(document.documentElement.lang).toBe('zh-CN');
  });

  it('show the signed-in user, the tenant and the version', async () => {
    const { panel } = await open();
    expect(await panel.findByText('Elif Kaya')).toBeVisible();
    expect(panel.getByText('Aydın Valley Growers')).toBeVisible();
    expect(await panel.findByText('Tilth 0.1.0')).toBeVisible();
  });

  it('sign out: the server is told, and the sign-in page appears without a way back', async () => {
    const { person, panel, router } = await open();
    await person.click(panel.getByRole('button', { name: /Quit/ }));
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeVisible();
    expect(router.state.location.href).toBe('/signin');
    expect(useSession.getState()).toEqual({ session: null, ended: 'quit' });
    await expect.poll(() => backend.calls).toContain('logout');
    expect(screen.queryByText('You have been signed out')).toBeNull();
  });

  it('sign out: a failure to tell the server is reported', async () => {
    const { person, panel } = await open();
    onPost('/app-api/member/auth/logout', () => refused(500, 'Not now'));
    await person.click(panel.getByRole('button', { name: /Quit/ }));
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeVisible();
    expect(await screen.findByText('Not now')).toBeVisible();
    expect(useSession.getState().session).toBeNull();
  });
});

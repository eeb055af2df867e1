import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultPreferences, followThemePreference, storageKey, usePreferences } from './preferences';

const root = document.documentElement;
const stored = () => JSON.parse(localStorage.getItem(storageKey) ?? 'null');
let stop: () => void = () => undefined;

afterEach(() => {
  stop();
  stop = () => undefined;
});

/** Runs the script that comes first in the page. */
function beforeFirstPaint() {
  delete root.dataset.theme;
  root.lang = '';
  new Function(readFileSync('public/theme.js', 'utf8'))();
}

describe('preferences', () => {
  it('apply at once and are stored', () => {
    stop = followThemePreference();
    expect(root.dataset.theme).toBe('light');
    usePreferences.getState().set({ darkMode: true, sidebarColor: 'warning' });
    expect(root.dataset.theme).toBe('dark');
    expect(stored().state).toEqual({ ...defaultPreferences, darkMode: true, sidebarColor: 'warning' });
  });

  it.each([
    ['dark', false],
    ['light', true],
  ] as const)('give way to a system that dictates its own %s colours', (scheme, darkMode) => {
    const asked = ['(forced-colors: active)', `(prefers-color-scheme: ${scheme})`];
    const matchMedia = vi.spyOn(window, 'matchMedia').mockImplementation(
      (query) =>
        ({
          matches: query.split(' and ').every((part) => asked.includes(part)),
          addEventListener: () => undefined,
          removeEventListener: () => undefined,
        }) as never,
    );
    usePreferences.getState().set({ darkMode });
    beforeFirstPaint();
    expect(root.dataset.theme).toBe(scheme);
    delete root.dataset.theme;
    stop = followThemePreference();
    expect(root.dataset.theme).toBe(scheme);
    matchMedia.mockRestore();
  });

  it.each(['dark', 'light'])('follow the system that is %s, if the user wants that', (scheme) => {
    let changed: () => void = () => undefined;
    let now = scheme;
    const matchMedia = vi.spyOn(window, 'matchMedia').mockImplementation(
      (query) =>
        ({
          get matches() {
            return query === `(prefers-color-scheme: ${now})`;
          },
          addEventListener: (_: string, listener: () => void) => {
            changed = listener;
          },
          removeEventListener: () => undefined,
        }) as never,
    );
    usePreferences.getState().set({ followSystem: true, darkMode: scheme === 'light' });
    beforeFirstPaint();
    expect(root.dataset.theme).toBe(scheme);
    stop = followThemePreference();
    expect(root.dataset.theme).toBe(scheme);
    now = scheme === 'dark' ? 'light' : 'dark';
    changed();
    expect(root.dataset.theme).toBe(now);
    stop();
    stop = () => undefined;
    matchMedia.mockRestore();
  });

  it('follow another tab', async () => {
    stop = followThemePreference();
    localStorage.setItem(storageKey, JSON.stringify({ state: { ...defaultPreferences, darkMode: true }, version: 0 }));
    window.dispatchEvent(new StorageEvent('storage', { key: storageKey, newValue: localStorage.getItem(storageKey) }));
    await expect.poll(() => root.dataset.theme).toBe('dark');
  });

  it.each([null, storageKey])('are reset when another tab clears storage: %s', (key) => {
    stop = followThemePreference();
    usePreferences.getState().set({ darkMode: true, sidebarType: 'dark' });
    window.dispatchEvent(new StorageEvent('storage', { key, newValue: null }));
    expect(usePreferences.getState()).toMatchObject(defaultPreferences);
    expect(root.dataset.theme).toBe('light');
  });

  it('accept only known values', async () => {
    const state = { sidebarColor: 'pink', sidebarType: 7, fixedNavbar: 'yes', darkMode: true, extra: 1 };
    localStorage.setItem(storageKey, JSON.stringify({ state, version: 0 }));
    await usePreferences.persist.rehydrate();
    expect(usePreferences.getState()).toMatchObject({ ...defaultPreferences, darkMode: true });
    expect(usePreferences.getState()).not.toHaveProperty('extra');
  });
});

describe('before the first paint', () => {
  it('the page has the chosen theme and language', () => {
    usePreferences.getState().set({ darkMode: true });
    localStorage.setItem('tilth.language', 'zh-cn');
    beforeFirstPaint();
    expect(root.dataset.theme).toBe('dark');
    expect(root.lang).toBe('zh-CN');
  });

  it.each([null, '{', '7', '{"state":{"darkMode":"yes"}}'])('the page is light and English with %s stored', (text) => {
    localStorage.clear();
    if (text !== null) localStorage.setItem(storageKey, text);
    beforeFirstPaint();
    expect(root.dataset.theme).toBe('light');
    if (text !== '{') expect(root.lang).toBe('en');
  });
});

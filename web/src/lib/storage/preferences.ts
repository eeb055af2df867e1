import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { useMediaQuery } from '../hooks/useMediaQuery';

export const sidebarColors = ['primary', 'dark', 'info', 'success', 'warning', 'danger'] as const;
export type SidebarColor = (typeof sidebarColors)[number];
export type SidebarType = 'white' | 'dark';
export type Theme = 'light' | 'dark';

export interface Preferences {
  sidebarColor: SidebarColor;
  sidebarType: SidebarType;
  fixedNavbar: boolean;
  darkMode: boolean;
  /** Dark or light as the user's system is, whatever `darkMode` says. */
  followSystem: boolean;
  /** Expensive content loads only on request. */
  saveData: boolean;
  /** How the data centre shows readings. */
  dataView: 'cards' | 'table';
}

export const defaultPreferences: Preferences = {
  sidebarColor: 'primary',
  sidebarType: 'white',
  fixedNavbar: true,
  darkMode: false,
  followSystem: false,
  saveData: false,
  dataView: 'cards',
};

interface PreferencesState extends Preferences {
  set: (change: Partial<Preferences>) => void;
}

/** public/theme.js reads the same key before the first paint. */
export const storageKey = 'tilth.preferences';

/**
 * The stored value may be from another release or edited manually: only known values are taken
 * over.
 */
function validPreferences(stored: unknown): Partial<Preferences> {
  const value = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  const result: Partial<Preferences> = {};
  const color = sidebarColors.find((name) => name === value.sidebarColor);
  if (color) result.sidebarColor = color;
  if (value.sidebarType === 'white' || value.sidebarType === 'dark') result.sidebarType = value.sidebarType;
  if (typeof value.fixedNavbar === 'boolean') result.fixedNavbar = value.fixedNavbar;
  if (typeof value.darkMode === 'boolean') result.darkMode = value.darkMode;
  if (typeof value.followSystem === 'boolean') result.followSystem = value.followSystem;
  if (typeof value.saveData === 'boolean') result.saveData = value.saveData;
  if (value.dataView === 'cards' || value.dataView === 'table') result.dataView = value.dataView;
  return result;
}

export const usePreferences = create<PreferencesState>()(
  persist(
    (set) => ({
      ...defaultPreferences,
      set: (change) => set(change),
    }),
    {
      name: storageKey,
      partialize: ({ set: _, ...preferences }): Preferences => preferences,
      merge: (stored, current) => ({ ...current, ...validPreferences(stored) }),
    },
  ),
);

/**
 * If the user's system forces its colours, as Windows' contrast themes do, the background is the
 * system's: the remaining colours of charts and the map must be readable on it.
 */
const forcedColorQueries = {
  dark: '(forced-colors: active) and (prefers-color-scheme: dark)',
  light: '(forced-colors: active) and (prefers-color-scheme: light)',
};

const darkSystemQuery = '(prefers-color-scheme: dark)';

type ThemeChoice = Pick<Preferences, 'darkMode' | 'followSystem'>;

/** `is` tells whether a media query holds. */
function themeOf({ darkMode, followSystem }: ThemeChoice, is: (query: string) => boolean): Theme {
  if (is(forcedColorQueries.dark)) return 'dark';
  if (is(forcedColorQueries.light)) return 'light';
  return (followSystem ? is(darkSystemQuery) : darkMode) ? 'dark' : 'light';
}

const themeQueries = [forcedColorQueries.dark, forcedColorQueries.light, darkSystemQuery];

export function useTheme(): Theme {
  const darkMode = usePreferences((state) => state.darkMode);
  const followSystem = usePreferences((state) => state.followSystem);
  const held = [
    useMediaQuery(forcedColorQueries.dark),
    useMediaQuery(forcedColorQueries.light),
    useMediaQuery(darkSystemQuery),
  ];
  return themeOf({ darkMode, followSystem }, (query) => held[themeQueries.indexOf(query)] === true);
}

/**
 * Applies the theme preference to the page, in this tab and in others. Returns a function that
 * stops it.
 */
export function followThemePreference(): () => void {
  const media = new Map(themeQueries.map((query) => [query, window.matchMedia(query)]));
  const apply = () => {
    document.documentElement.dataset.theme = themeOf(
      usePreferences.getState(),
      (query) => media.get(query)?.matches === true,
    );
    const base = getComputedStyle(document.documentElement).getPropertyValue('--base').trim();
    if (base) document.querySelector('meta[name="theme-color"]')?.setAttribute('content', base);
  };
  const onStorage = (event: StorageEvent) => {
    // A null key means that the whole storage was cleared.
    if (event.key === null || (event.key === storageKey && event.newValue === null)) {
      usePreferences.setState(defaultPreferences);
    } else if (event.key === storageKey) void usePreferences.persist.rehydrate();
  };
  apply();
  const unsubscribe = usePreferences.subscribe(apply);
  window.addEventListener('storage', onStorage);
  for (const one of media.values()) one.addEventListener('change', apply);
  return () => {
    unsubscribe();
    for (const one of media.values()) one.removeEventListener('change', apply);
    window.removeEventListener('storage', onStorage);
  };
}

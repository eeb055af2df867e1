import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const sidebarColors = ['primary', 'dark', 'info', 'success', 'warning', 'danger'] as const;
export type SidebarColor = (typeof sidebarColors)[number];
export type SidebarType = 'white' | 'dark';
export type Theme = 'light' | 'dark';

export interface Preferences {
  sidebarColor: SidebarColor;
  sidebarType: SidebarType;
  fixedNavbar: boolean;
  darkMode: boolean;
  /** What is dear to fetch comes when somebody asks for it. */
  saveData: boolean;
}

export const defaultPreferences: Preferences = {
  sidebarColor: 'primary',
  sidebarType: 'white',
  fixedNavbar: true,
  darkMode: false,
  saveData: false,
};

interface PreferencesState extends Preferences {
  set: (change: Partial<Preferences>) => void;
}

/** public/theme.js reads the same key before the first paint. */
export const storageKey = 'tilth.preferences';

/** What was stored may be from another release or edited by hand: only known values are taken over. */
function known(stored: unknown): Partial<Preferences> {
  const value = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  const result: Partial<Preferences> = {};
  const color = sidebarColors.find((name) => name === value.sidebarColor);
  if (color) result.sidebarColor = color;
  if (value.sidebarType === 'white' || value.sidebarType === 'dark') result.sidebarType = value.sidebarType;
  if (typeof value.fixedNavbar === 'boolean') result.fixedNavbar = value.fixedNavbar;
  if (typeof value.darkMode === 'boolean') result.darkMode = value.darkMode;
  if (typeof value.saveData === 'boolean') result.saveData = value.saveData;
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
      partialize: ({ sidebarColor, sidebarType, fixedNavbar, darkMode, saveData }): Preferences => ({
        sidebarColor,
        sidebarType,
        fixedNavbar,
        darkMode,
        saveData,
      }),
      merge: (stored, current) => ({ ...current, ...known(stored) }),
    },
  ),
);

export function useTheme(): Theme {
  return usePreferences((state) => (state.darkMode ? 'dark' : 'light'));
}

/** Keeps the page's theme with the preference, in this tab and in others. Returns how to stop. */
export function followPreferences(): () => void {
  const apply = () => {
    const theme: Theme = usePreferences.getState().darkMode ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme;
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
  return () => {
    unsubscribe();
    window.removeEventListener('storage', onStorage);
  };
}

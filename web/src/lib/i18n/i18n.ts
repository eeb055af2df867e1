import i18next, { type PostProcessorModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { create } from 'zustand';
import type { TextPart } from '@/locales/parts';
import { descriptors, type Language, languageCodes } from './languages';
import { fetchTexts } from './texts';

export type { Language };

/** The languages for menus; `tag` is for `lang` attributes. */
export const languages: readonly { code: Language; name: string; tag: string }[] = languageCodes.map((code) => ({
  code,
  name: descriptors[code].name,
  tag: descriptors[code].tag,
}));

const storageKey = 'tilth.language';
const fallback = languageCodes[0] as Language;

export function isLanguage(value: unknown): value is Language {
  return languageCodes.some((code) => code === value);
}

interface LanguageState {
  language: Language;
  /**
   * Resolves once every text is in the new language; rejects, changing nothing, when its file
   * cannot be fetched.
   */
  setLanguage: (language: Language) => Promise<void>;
}

/**
 * The only place that decides the language: it sets i18next and `<html lang>`; antd and dayjs
 * follow this store.
 */
export const useLanguage = create<LanguageState>((set) => ({
  language: storedLanguage(),
  setLanguage: async (language) => {
    await applyLanguage(language);
    set({ language });
    storeLanguage(language);
  },
}));

/** The current language, for code outside of React. */
export function currentLanguage(): Language {
  return useLanguage.getState().language;
}

/** The parts that the pages and dialogs shown so far need. */
const neededParts = new Set<TextPart>(['signin']);

/**
 * Fetches a part of the texts, now and with every language that is chosen later. Whatever is fetched
 * with `withAntd` has all texts. Rejects when a file cannot be fetched.
 */
export async function loadTexts(part: TextPart): Promise<void> {
  neededParts.add(part);
  let language: Language;
  do {
    language = currentLanguage();
    await addPart(language, part);
  } while (language !== currentLanguage());
}

async function addPart(language: Language, part: TextPart): Promise<void> {
  const texts = await fetchTexts(language, part);
  await initialised;
  if (isAdded.has(texts)) return;
  i18next.addResourceBundle(language, 'translation', texts, true, true);
  isAdded.add(texts);
}

/** Adds the needed texts of a language, those too that become needed while it fetches. */
async function addTexts(language: Language): Promise<void> {
  let count: number;
  do {
    count = neededParts.size;
    await Promise.all([...neededParts].map((part) => addPart(language, part)));
  } while (count !== neededParts.size);
}

async function applyLanguage(language: Language): Promise<void> {
  await addTexts(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = descriptors[language].tag;
  // The browser's install prompt is then in the user's language.
  document.querySelector('link[rel="manifest"]')?.setAttribute('href', `/app.${language}.webmanifest`);
}

function storeLanguage(language: Language): void {
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

function storedLanguage(): Language {
  try {
    const stored = localStorage.getItem(storageKey);
    return isLanguage(stored) ? stored : fallback;
  } catch {
    return fallback;
  }
}

/** A value that ends with a full stop, like 26° в. д., replaces the sentence's own. */
const collapseStops: PostProcessorModule = {
  type: 'postProcessor',
  name: 'oneStop',
  process: (translated, _key, options) => {
    if (!translated.includes('..')) return translated; // the usual case: every text passes through here
    return Object.values(options).reduce<string>(
      (text, value) =>
        typeof value === 'string' && value.endsWith('.') ? text.replaceAll(`${value}.`, () => value) : text,
      translated,
    );
  },
};

const isAdded = new WeakSet<object>();
const initialised = i18next
  .use(initReactI18next)
  .use(collapseStops)
  .init({
    lng: fallback,
    lowerCaseLng: true,
    load: 'currentOnly',
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
    returnNull: false,
    postProcess: collapseStops.name,
  });

/** Does what needs texts: at once, or as soon as there are any. Calls are made before the first text is fetched. */
export function onceTextsLoaded(act: () => void): void {
  if (i18next.exists('error.default')) {
    act();
    return;
  }
  const lookAgain = () => {
    i18next.off('languageChanged', lookAgain);
    onceTextsLoaded(act);
  };
  i18next.on('languageChanged', lookAgain);
}

/** Call once before the first render. Follows changes made in other tabs. */
export async function startI18n(): Promise<void> {
  await applyLanguage(currentLanguage());
  window.addEventListener('storage', (event) => {
    if (event.key !== storageKey || !isLanguage(event.newValue)) return;
    const wanted = event.newValue;
    // A file that cannot be fetched leaves this tab in the language it had.
    applyLanguage(wanted).then(
      () => useLanguage.setState({ language: wanted }),
      () => undefined,
    );
  });
}

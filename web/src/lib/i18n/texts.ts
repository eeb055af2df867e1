import type { TextPart } from '@/locales/parts';
import type { Language } from './languages';

type Files = Record<string, () => Promise<object>>;

/** Each part of each language is a file of its own, so that nobody downloads what no page shows. */
const files: Readonly<Record<TextPart, Files>> = {
  signin: import.meta.glob('@/locales/??-??.json', { query: '?part=signin', import: 'default' }),
  home: import.meta.glob('@/locales/??-??.json', { query: '?part=home', import: 'default' }),
  rest: import.meta.glob('@/locales/??-??.json', { query: '?part=rest', import: 'default' }),
};

const fetched = new Map<string, Promise<object>>();

/** A part of a language's texts; the same object each time. Rejects when its file cannot be fetched. */
export function fetchTexts(language: Language, part: TextPart): Promise<object> {
  const key = `${language} ${part}`;
  const known = fetched.get(key);
  if (known) return known;
  const path = Object.keys(files[part]).find((name) => name.endsWith(`/${language}.json`));
  const file = path === undefined ? undefined : files[part][path];
  if (!file) throw new Error(`there are no texts in ${language}`);
  const texts = file();
  fetched.set(key, texts);
  // The next call tries again.
  texts.catch(() => fetched.delete(key));
  return texts;
}

import { readFileSync } from 'node:fs';
import type { Language } from '@/lib/i18n/languages';

/** All texts of a language. */
export const readTexts = (language: Language): object =>
  JSON.parse(readFileSync(`src/locales/${language}.json`, 'utf8'));

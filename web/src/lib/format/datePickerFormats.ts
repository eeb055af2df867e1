import type { Language } from '@/lib/i18n/i18n';
import { localeConventions } from './localeConventions';

/** The format of date fields, by language. */
export const datePickerFormats = Object.fromEntries(
  Object.entries(localeConventions).map(([code, { picker }]) => [code, picker]),
) as Record<Language, string>;

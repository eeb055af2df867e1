import type { Language } from '@/lib/i18n';
import { forms } from './format/table';

/** How a field for a day shows it. */
export const dayFormat = Object.fromEntries(
  Object.entries(forms).map(([code, { picker }]) => [code, picker]),
) as Record<Language, string>;

import type { Language } from '@/lib/i18n';

/** How a field for a day shows it: antd would show every language's as 2026-11-21. */
export const dayFormat: Record<Language, string> = {
  'en-us': 'MM/DD/YYYY',
  'zh-cn': 'YYYY-MM-DD',
  'tr-tr': 'DD.MM.YYYY',
  'ru-ru': 'DD.MM.YYYY',
};

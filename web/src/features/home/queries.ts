import { groupsQuery, mapQuery } from '@/lib/device/queries';
import { overviewQuery } from '@/lib/http/queries';
import type { Language } from '@/lib/i18n/i18n';
import { attentionQuery } from './attention/queries';

/** What the home page shows first. */
export const homeQueries = (language: Language) =>
  [overviewQuery(), groupsQuery(language), mapQuery(null), attentionQuery(language)] as const;

import type { TFunction } from 'i18next';
import { foldForSearch } from '@/lib/text/foldForSearch';
import { mainMenuEntries, personalMenuEntries } from '../shell/menuEntries';

/** A page that a search finds by its title. */
export interface FoundPage {
  title: string;
  path: string;
  search?: Record<string, string>;
}

/** All pages in the menu's order, then those that are reached within others; some are for owners only. */
function allPages(t: TFunction, isOwner: boolean): FoundPage[] {
  const within = (part: string) => `${t('nav.profile')} · ${part}`;
  return [
    ...[...mainMenuEntries, ...personalMenuEntries].map(({ name, path }) => ({ title: t(`nav.${name}`), path })),
    { title: t('analysis.title'), path: '/analysis' },
    { title: within(t('password.title')), path: '/profile', search: { tab: 'password' } },
    ...(isOwner
      ? [
          { title: within(t('app.title')), path: '/profile', search: { tab: 'app' } },
          { title: within(t('webhook.title')), path: '/profile', search: { tab: 'webhook' } },
          { title: within(t('homeAssistant.title')), path: '/profile', search: { tab: 'home-assistant' } },
          { title: t('activity.title'), path: '/profile/activity' },
        ]
      : []),
  ];
}

/** The pages whose title has the text in it, in any case; all for an empty text. */
export function findPages(t: TFunction, text: string, isOwner: boolean): FoundPage[] {
  const wanted = foldForSearch(text.trim());
  return allPages(t, isOwner).filter(({ title }) => foldForSearch(title).includes(wanted));
}

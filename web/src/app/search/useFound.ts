import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { analysisAddress } from '@/lib/analysis/address';
import { useFormat } from '@/lib/format/format';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import { api } from '@/lib/http/api';
import { useMay } from '@/lib/session/useMay';
import { findPages } from './searchPages';

/** A kind of thing that a search finds; each is a group of the list. */
export type FoundKind = 'page' | 'device' | 'scene' | 'rule' | 'notice';

/** A line of the list that can be chosen. */
export interface FoundItem {
  id: string;
  title: string;
  /** Tells things of the same title apart. */
  detail?: string;
  /** Leads to all things of the kind whose names match, not to one of them. */
  all?: true;
  open: () => void;
  /** Beside it: what it measured, up to now. */
  history?: { title: string; open: () => void };
}

export interface FoundGroup {
  kind: FoundKind;
  items: FoundItem[];
}

interface Found {
  groups: FoundGroup[];
  /** The error of the newest search, which found pages only. */
  error: Error | null;
  retry: () => void;
  /** Whether the list may still be of an earlier text. */
  busy: boolean;
}

type SearchResult = components['schemas']['SearchResult'];

const pauseMs = 150;

/** What has the text in its name: pages at once, everything else by the server. */
export function useFound(typed: string): Found {
  const { t } = useTranslation();
  const isOwner = useMay('owner');
  const text = typed.trim();
  const asked = useDebouncedText(text, pauseMs);
  const query = useQuery({
    queryKey: ['search', asked],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/search', { query: { text: asked }, signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const navigate = useNavigate();
  const found = useFoundThings(text === '' ? undefined : query.data, asked);
  const pages = findPages(t, text, isOwner).map((page) => ({
    id: `page-${page.path}-${page.search?.tab ?? ''}`,
    title: page.title,
    open: () => void navigate({ to: page.path, search: page.search ?? {} }),
  }));
  const groups: FoundGroup[] = [...found, { kind: 'page', items: pages }];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    error: text === '' ? null : query.error,
    retry: () => void query.refetch(),
    busy: text !== '' && (asked !== text || query.isFetching),
  };
}

function useFoundThings(result: SearchResult | undefined, q: string): FoundGroup[] {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  if (!result) return [];
  const { devices, scenes, rules, notices } = result;
  const now = Date.now();
  /** The link to all, if there are more than the list has. */
  const rest = (kind: FoundKind, { list, total }: { list: unknown[]; total: number }, open: () => void): FoundItem[] =>
    total > list.length
      ? [{ id: `all-${kind}`, title: t('search.all', { n: format.number(total) }), all: true, open }]
      : [];
  return [
    {
      kind: 'device',
      items: [
        ...devices.list.map((device) => ({
          id: `device-${device.deviceName}`,
          title: device.noteName || device.deviceName,
          detail: [
            device.noteName ? device.deviceName : '',
            device.groupName,
            t(device.onlineState === 1 ? 'home.state.online' : 'home.state.offline'),
          ]
            .filter(Boolean)
            .join(' · '),
          open: () => void navigate({ to: '/device', search: { device: device.deviceName } }),
          history: {
            title: t('data.card.historyOf', { name: device.noteName || device.deviceName }),
            open: () => void navigate({ to: '/analysis', search: analysisAddress({ devices: [device.deviceName] }) }),
          },
        })),
        ...rest('device', devices, () => void navigate({ to: '/device', search: { q } })),
      ],
    },
    {
      kind: 'scene',
      items: scenes.list.map((scene) => ({
        id: `scene-${scene.id}`,
        title: scene.groupName,
        open: () => void navigate({ to: '/data', search: { scenes: String(scene.id) } }),
      })),
    },
    {
      kind: 'rule',
      items: [
        ...rules.list.map((rule) => ({
          id: `rule-${rule.id}`,
          title: rule.alarmName,
          detail: [
            t(`home.level.${rule.alarmLevel}`),
            t(rule.deployState === 1 ? 'deploy.running' : 'deploy.stopped'),
          ].join(' · '),
          open: () => void navigate({ to: '/alarm', search: { rule: rule.id } }),
        })),
        ...rest('rule', rules, () => void navigate({ to: '/alarm', search: { q } })),
      ],
    },
    {
      kind: 'notice',
      items: [
        ...notices.list.map((notice) => ({
          id: `notice-${notice.id}`,
          title: notice.title,
          detail: [
            notice.noteName || notice.deviceName,
            format.moment(notice.startTime, now),
            t(`resolve.${notice.resolveStatus}`),
          ].join(' · '),
          open: () => void navigate({ to: '/inform', search: { id: notice.id } }),
          history: {
            title: t('data.card.historyOf', { name: notice.title }),
            open: () => void navigate({ to: '/analysis', search: { alarm: notice.id } }),
          },
        })),
        ...rest('notice', notices, () => void navigate({ to: '/inform', search: { q } })),
      ],
    },
  ];
}

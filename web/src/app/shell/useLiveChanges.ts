import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { deviceKeys } from '@/lib/device/queries';
import { overviewQuery, userQuery } from '@/lib/http/queries';
import { type ChangeKind, changedKinds } from '@/lib/live/event';
import { useLive } from '@/lib/live/useLive';

/** Another user's change is on the screen within a second; ten thousand new devices cause one refetch. */
const refetchDebounceMs = [300, 1500] as const;

const deviceKeyList: readonly QueryKey[] = [
  overviewQuery().queryKey,
  ...(['groups', 'page', 'device', 'latest', 'tsl', 'model', 'map', 'offer'] as const).map(deviceKeys.kind),
];
/**
 * A calibration changes the past. Its lines are fetched when they are next looked at: most changes of
 * devices are others, and a page shows a hundred lines.
 */
export const pastKeyList: readonly QueryKey[] = [
  ...(['day', 'dayLines'] as const).map(deviceKeys.kind),
  ['history', 'sample'],
  ['history', 'hours'],
  ['history', 'rows'],
  ['analysis', 'lines'],
];
const sceneListKey: QueryKey = ['scenes'];
const ruleKeyList: readonly QueryKey[] = [
  ['alarm-rules', 'page'],
  ['alarm-rules', 'outlook'],
];
const channelKeyList: readonly QueryKey[] = [
  ['notice-channels', 'page'],
  ['notice-channels', 'all'],
];

/** Home names running rules that reach nobody. */
const attentionKey: QueryKey = ['attention'];

/** Who accepts an invitation becomes one of the people. */
const peopleKeyList: readonly QueryKey[] = [['people'], ['invitations']];

const integrationKeyList: readonly QueryKey[] = [['home-assistant']];

/**
 * The queries of each kind of things, by the beginning of their keys. The rule or channel that an
 * open form started from is not among them: the user's input stays. The bell refetches messages.
 */
export const queriesByChange: Partial<Record<ChangeKind, readonly QueryKey[]>> = {
  // Scenes count their devices; rules name theirs and end with them.
  device: [
    ...deviceKeyList,
    sceneListKey,
    ['products'],
    ['device-properties'],
    ['device-detail', 'calibrations'],
    ['history', 'devices'],
    ...ruleKeyList,
  ],
  scene: [...deviceKeyList, sceneListKey],
  // Channels list the rules that use them.
  rule: [...ruleKeyList, ...channelKeyList, attentionKey],
  channel: [...channelKeyList, ...ruleKeyList, attentionKey],
  people: peopleKeyList,
  integration: integrationKeyList,
  // The role decides what the pages offer.
  me: [userQuery().queryKey],
};
/** Queries that no page refetches itself after a reset. */
const queriesOnReset: readonly QueryKey[] = [
  sceneListKey,
  ...channelKeyList,
  ...peopleKeyList,
  ...integrationKeyList,
  userQuery().queryKey,
];

/** Refetches the queries on the screen at once, others when they are next used. */
function refetch(client: QueryClient, keys: ReadonlySet<QueryKey>): void {
  for (const queryKey of keys) void client.invalidateQueries({ queryKey });
}

/**
 * Shows changes made elsewhere: by the same user in another place, by another user of the tenant,
 * by a program, by the provider.
 */
export function useLiveChanges(): void {
  const client = useQueryClient();
  const [pendingKeys] = useState(() => new Set<QueryKey>());
  const [refetchSoon] = useState(
    () =>
      new Debouncer(
        () => {
          refetch(client, pendingKeys);
          pendingKeys.clear();
        },
        ...refetchDebounceMs,
      ),
  );
  useEffect(() => () => refetchSoon.cancel(), [refetchSoon]);
  useLive((events) => {
    const kinds = changedKinds(events);
    if (kinds.has('device')) {
      for (const queryKey of pastKeyList) void client.invalidateQueries({ queryKey, refetchType: 'none' });
    }
    const keys = [...kinds].flatMap((sort) => queriesByChange[sort] ?? []);
    if (events.some(({ name }) => name === 'reset')) keys.push(...queriesOnReset);
    if (keys.length === 0) return;
    for (const key of keys) pendingKeys.add(key);
    refetchSoon.request();
  });
}

import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { deviceKeys } from '@/lib/device/queries';
import { overviewQuery } from '@/lib/http/queries';
import { type ChangeKind, changedKinds } from '@/lib/live/event';
import { useLive } from '@/lib/live/useLive';

/** Somebody else's change is on the screen within the second; ten thousand new devices are one question. */
const refetchDebounceMs = [300, 1500] as const;

// Of devices not the lines of their readings: nobody changes the past.
const deviceKeyList: readonly QueryKey[] = [
  overviewQuery().queryKey,
  ...(['groups', 'page', 'device', 'latest', 'tsl', 'model', 'map'] as const).map(deviceKeys.kind),
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

/**
 * What shows things of a sort, by how its queries begin. The one rule or channel that a form has begun with is not among them:
 * what somebody is typing stays. Messages are the bell's.
 */
export const queriesByChange: Partial<Record<ChangeKind, readonly QueryKey[]>> = {
  // Scenes count their devices, rules name theirs and end with them.
  device: [...deviceKeyList, sceneListKey, ['products'], ['device-properties'], ['history', 'devices'], ...ruleKeyList],
  scene: [...deviceKeyList, sceneListKey],
  // Channels say which rules use them.
  rule: [...ruleKeyList, ...channelKeyList],
  channel: [...channelKeyList, ...ruleKeyList],
};
/** What no page asks for itself when something may have been missed. */
const queriesOnReset: readonly QueryKey[] = [sceneListKey, ...channelKeyList];

/** Asks for what is on the screen; what is not is asked for when it is looked at. */
function refetch(client: QueryClient, keys: ReadonlySet<QueryKey>): void {
  for (const queryKey of keys) void client.invalidateQueries({ queryKey });
}

/** Shows what others have changed: the same person elsewhere, another of the farm, a program, the provider. */
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
    const keys = [...changedKinds(events)].flatMap((sort) => queriesByChange[sort] ?? []);
    if (events.some(({ name }) => name === 'reset')) keys.push(...queriesOnReset);
    if (keys.length === 0) return;
    for (const key of keys) pendingKeys.add(key);
    refetchSoon.request();
  });
}

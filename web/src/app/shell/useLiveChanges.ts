import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debounce } from '@/lib/device/live/debounce';
import { deviceKeys } from '@/lib/device/queries';
import { type ChangeOf, changedOf } from '@/lib/live/event';
import { useLive } from '@/lib/live/live';
import { overviewQuery } from '@/lib/queries';

/** Somebody else's change is on the screen within the second; ten thousand new devices are one question. */
const askMs = [300, 1500] as const;

// Of devices not the lines of their readings: nobody changes the past.
const devices: readonly QueryKey[] = [
  overviewQuery().queryKey,
  ...(['groups', 'page', 'device', 'latest', 'tsl', 'model', 'map'] as const).map(deviceKeys.kind),
];
const scenes: QueryKey = ['scenes'];
const rules: readonly QueryKey[] = [
  ['alarm-rules', 'page'],
  ['alarm-rules', 'outlook'],
];
const channels: readonly QueryKey[] = [
  ['notice-channels', 'page'],
  ['notice-channels', 'all'],
];

/**
 * What shows things of a sort, by how its queries begin. The one rule or channel that a form has begun with is not among them:
 * what somebody is typing stays. Messages are the bell's.
 */
export const shows: Partial<Record<ChangeOf, readonly QueryKey[]>> = {
  // Scenes count their devices, rules name theirs and end with them.
  device: [...devices, scenes, ['products'], ['device-properties'], ['history', 'devices'], ...rules],
  scene: [...devices, scenes],
  // Channels say which rules use them.
  rule: [...rules, ...channels],
  channel: [...channels, ...rules],
};
/** What no page asks for itself when something may have been missed. */
const missed: readonly QueryKey[] = [scenes, ...channels];

/** Asks for what is on the screen; what is not is asked for when it is looked at. */
function refetch(client: QueryClient, keys: ReadonlySet<QueryKey>): void {
  for (const queryKey of keys) void client.invalidateQueries({ queryKey });
}

/** Shows what others have changed: the same person elsewhere, another of the farm, a program, the provider. */
export function useLiveChanges(): void {
  const client = useQueryClient();
  const [waiting] = useState(() => new Set<QueryKey>());
  const [asking] = useState(
    () =>
      new Debounce(
        () => {
          refetch(client, waiting);
          waiting.clear();
        },
        ...askMs,
      ),
  );
  useEffect(() => () => asking.cancel(), [asking]);
  useLive((events) => {
    const keys = [...changedOf(events)].flatMap((sort) => shows[sort] ?? []);
    if (events.some(({ name }) => name === 'reset')) keys.push(...missed);
    if (keys.length === 0) return;
    for (const key of keys) waiting.add(key);
    asking.request();
  });
}

import { type InvalidateQueryFilters, type QueryMeta, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { type ChangeKind, changedKinds } from '@/lib/live/event';
import { useLive } from '@/lib/live/useLive';

type Cause = ChangeKind | 'reset';

/** Another user's change is on the screen within a second; ten thousand new devices cause one refetch. */
const refetchDebounceMs = [300, 1500] as const;

/** The cached queries whose `meta` names one of the causes. */
function queriesOf(what: 'refetchOn' | 'staleOn', causes: ReadonlySet<Cause>): InvalidateQueryFilters {
  const names = (meta: QueryMeta | undefined): readonly Cause[] => meta?.[what] ?? [];
  return { predicate: ({ meta }) => names(meta).some((cause) => causes.has(cause)) };
}

/**
 * Shows changes made elsewhere: by the same user in another place, by another user of the tenant,
 * by a program, by the provider. Which queries they concern, each query says in its `meta`.
 */
export function useLiveChanges(): void {
  const client = useQueryClient();
  const [pending] = useState(() => new Set<Cause>());
  const [refetchSoon] = useState(
    () =>
      new Debouncer(
        () => {
          void client.invalidateQueries(queriesOf('refetchOn', pending));
          pending.clear();
        },
        ...refetchDebounceMs,
      ),
  );
  useEffect(() => () => refetchSoon.cancel(), [refetchSoon]);
  useLive((events) => {
    const causes: Set<Cause> = changedKinds(events);
    if (events.some(({ name }) => name === 'reset')) causes.add('reset');
    if (causes.size === 0) return;
    void client.invalidateQueries({ ...queriesOf('staleOn', causes), refetchType: 'none' });
    for (const cause of causes) pending.add(cause);
    refetchSoon.request();
  });
}

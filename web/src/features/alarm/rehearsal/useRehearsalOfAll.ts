import { keepPreviousData, experimental_streamedQuery as streamedQuery, useQuery } from '@tanstack/react-query';
import type { AlarmRuleCreate, RehearsedAll, RehearsedDevice } from '@/lib/alarm/types';
import { ApiError } from '@/lib/api';
import { lines } from '@/lib/lines';
import { useSettledBody } from './useRehearsal';

/** What has come of a rehearsal of several devices. */
export interface RehearsedSoFar {
  rows: readonly RehearsedDevice[];
  /** What they come to; undefined until the last has come. */
  all: RehearsedAll | undefined;
}

type Line = RehearsedDevice | RehearsedAll;
const isAll = (line: Line): line is RehearsedAll => 'devices' in line;
const nothing: RehearsedSoFar = { rows: [], all: undefined };

/** The lines as they come. An answer that ends without what they come to was cut off. */
async function* told(body: AlarmRuleCreate, signal: AbortSignal): AsyncGenerator<Line[]> {
  let whole = false;
  for await (const batch of lines<Line>({ path: '/admin-api/client/pc/alarm-rules/rehearse/devices', body, signal })) {
    whole ||= batch.some(isAll);
    yield batch;
  }
  if (!whole) throw new ApiError(0, '', 'network');
}

function gathered({ rows, all }: RehearsedSoFar, batch: Line[]): RehearsedSoFar {
  return {
    rows: [...rows, ...batch.filter((line): line is RehearsedDevice => !isAll(line))],
    all: batch.find(isAll) ?? all,
  };
}

/** The rehearsal of what a form holds on all its devices, as it grows; null while that is not enough. */
export function useRehearsalOfAll(body: AlarmRuleCreate | null) {
  const { settled, behind } = useSettledBody(body);
  const query = useQuery({
    queryKey: ['alarm-rehearsal-devices', settled],
    queryFn: streamedQuery({
      streamFn: ({ signal }) => told(JSON.parse(settled ?? '{}'), signal),
      reducer: gathered,
      initialValue: nothing,
    }),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    // What is being typed is refused where it is typed.
    meta: { shows: [601], banner: true },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // It may have gone far: whoever looks at it decides whether it begins anew.
    retry: false,
  });
  return { ...query, waiting: behind || query.isFetching, asked: settled !== null };
}

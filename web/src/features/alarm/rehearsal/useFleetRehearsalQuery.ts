import { keepPreviousData, experimental_streamedQuery as streamedQuery, useQuery } from '@tanstack/react-query';
import type { AlarmRuleCreate, RehearsedAll, RehearsedDevice } from '@/lib/alarm/types';
import { ApiError } from '@/lib/http/api';
import { readLines } from '@/lib/http/ndjson';
import { useDebouncedBody } from './useRehearsal';

/** What has arrived so far of a rehearsal of several devices. */
export interface PartialRehearsal {
  rows: readonly RehearsedDevice[];
  /** The totals; undefined until the last line has arrived. */
  all: RehearsedAll | undefined;
}

type Line = RehearsedDevice | RehearsedAll;
const isSummary = (line: Line): line is RehearsedAll => 'devices' in line;
const emptyRehearsal: PartialRehearsal = { rows: [], all: undefined };

/** The lines as they arrive. An answer without the totals at its end was cut off. */
async function* streamLines(body: AlarmRuleCreate, signal: AbortSignal): AsyncGenerator<Line[]> {
  let isComplete = false;
  for await (const batch of readLines<Line>({
    path: '/admin-api/client/pc/alarm-rules/rehearse/devices',
    body,
    signal,
  })) {
    isComplete ||= batch.some(isSummary);
    yield batch;
  }
  if (!isComplete) throw new ApiError(0, '', 'network');
}

function appendBatch({ rows, all }: PartialRehearsal, batch: Line[]): PartialRehearsal {
  return {
    rows: [...rows, ...batch.filter((line): line is RehearsedDevice => !isSummary(line))],
    all: batch.find(isSummary) ?? all,
  };
}

/**
 * The rehearsal of a form's values on all devices, as it arrives. `body` is null while the form
 * does not hold enough.
 */
export function useFleetRehearsalQuery(body: AlarmRuleCreate | null) {
  const { settled, behind } = useDebouncedBody(body);
  const query = useQuery({
    queryKey: ['alarm-rehearsal-devices', settled],
    queryFn: streamedQuery({
      streamFn: ({ signal }) => streamLines(JSON.parse(settled ?? '{}'), signal),
      reducer: appendBatch,
      initialValue: emptyRehearsal,
    }),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    // The form itself shows the refusals of values that the user is typing.
    meta: { shows: [601], banner: true },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // The answer may have been long: the user decides whether to start it anew.
    retry: false,
  });
  return { ...query, waiting: behind || query.isFetching, isEnabled: settled !== null };
}

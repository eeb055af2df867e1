import type { components } from '@/api/schema.gen';
import { nextMidnight } from '@/lib/format/date';

type Schemas = components['schemas'];

interface Span {
  from: number;
  to: number;
}

/** A time in which a switch had one state. Nothing is known while its device was silent. */
export interface Phase extends Span {
  state: Schemas['SwitchPhase']['state'];
}

/** For how long a switch was on, in milliseconds, and how often it was switched. */
export type OnSum = Schemas['OnTimesSum'];

/** When a switch was on. */
export interface OnTimes extends Span {
  /** Null: there are too many. */
  phases: Phase[] | null;
  days: (Span & { sum: OnSum })[];
  total: OnSum;
  longestOn: Span | null;
  longestOff: Span | null;
}

export function onTimesOf({ startTime: from, endTime: to, phases, days, ...rest }: Schemas['OnTimes']): OnTimes {
  return {
    from,
    to,
    phases: phases?.map((phase, index) => ({ ...phase, to: phases[index + 1]?.from ?? to })) ?? null,
    days: days.map(({ time, sum }) => ({ from: time, to: nextMidnight(time), sum })),
    total: rest.total,
    longestOn: rest.longestOn ?? null,
    longestOff: rest.longestOff ?? null,
  };
}

/** The share of the time in which the state is known. */
export const shareOn = ({ on, off }: OnSum): number => on / (on + off);

/** With other times; what has none is left out. `mover` gives a function of times that ascend. */
export function retimeOnTimes(onTimes: OnTimes, mover: () => (time: number) => number | null): OnTimes {
  const moved = <T extends Span>(spans: readonly T[]): T[] => {
    const move = mover();
    return spans.flatMap((span) => {
      const from = move(span.from);
      return from === null ? [] : [{ ...span, from, to: from + span.to - span.from }];
    });
  };
  const one = (span: Span | null) => (span && moved([span])[0]) ?? null;
  const { phases, days, longestOn, longestOff, from, to } = onTimes;
  return {
    ...onTimes,
    ...moved([{ from, to }])[0],
    phases: phases && moved(phases),
    days: moved(days),
    longestOn: one(longestOn),
    longestOff: one(longestOff),
  };
}

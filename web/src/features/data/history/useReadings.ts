import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Attribute, isDrawn } from './attributes';
import { isLongEnough } from './hours';
import { isComplete, type PreparedLine, prepareLines } from './preparedLines';
import { hoursQuery, type Sample, sampleQuery } from './queries';
import type { Span } from './range';
import { firstCorrected } from './series';
import { useDebouncedValue } from './useDebouncedValue';
import { covers, detailSpan, initialWindow } from './window';

/** Details are requested once the window has not moved for this long. */
const pauseMs = 180;
const dayMs = 24 * 3_600_000;
const maxPoints = 5000;
/** The data saver asks for fewer points, and not for hours besides. */
const leastPointsForHours = 1000;

interface Question {
  deviceName: string;
  range: Span;
  /** The requested attributes, and all that the device has. */
  asked: readonly Attribute[];
  all: readonly Attribute[];
  /** The number of points for the whole range, 1000 to 5000. */
  points: number;
  raw: boolean;
}

export interface Readings {
  /**
   * The range of the shown readings; it equals the question's range once its answer has arrived.
   */
  range: Span;
  lines: Map<string, PreparedLine>;
  texts: Map<string, { time: number; text: string }[]>;
}

/**
 * The attributes of the overview query: all but the sums, and one that shows when the device
 * reported.
 */
function overviewAttributes(asked: readonly Attribute[], all: readonly Attribute[]): string[] {
  const own = asked.filter(({ kind }) => kind !== 'sum');
  const showsContact = ({ kind }: Attribute) => kind === 'line' || kind === 'direction';
  const needsContactAttribute = own.some(({ kind }) => kind === 'step') && !own.some(showsContact);
  const contactAttribute = needsContactAttribute ? all.find(showsContact) : undefined;
  return [...own, ...(contactAttribute ? [contactAttribute] : [])].map(({ id }) => id);
}

/** The last answer, kept while the next one loads and if it fails. */
function useLastAnswer<T>(value: T | undefined, key: string): T | undefined {
  const [kept, setKept] = useState<{ key: string; value: T | undefined }>({ key, value });
  if (kept.key !== key) setKept({ key, value });
  else if (value !== undefined && value !== kept.value) setKept({ key, value });
  return kept.key === key ? (value ?? kept.value) : value;
}

/**
 * A device's readings: an overview of the range and, wherever the overview does not hold all
 * readings, finer ones of the window and its surroundings. A `window` of null stands for the
 * initial one of the range.
 */
export function useReadings(question: Question | null, window: Span | null) {
  const {
    deviceName = '',
    range = { from: 0, to: 0 },
    asked = [],
    all = [],
    points = 1000,
    raw = false,
  } = question ?? {};
  const thin = overviewAttributes(asked, all);
  const sums = asked.filter(({ kind }) => kind === 'sum').map(({ id }) => id);
  // Without a numeric attribute that shows when the device reported, all readings are needed.
  const hasContactAttribute = all.some(({ kind }) => kind === 'line' || kind === 'direction');
  const onlyWords = !asked.some((attribute) => isDrawn(attribute) && attribute.kind !== 'sum');
  const overviewPoints = hasContactAttribute || onlyWords ? points : null;

  const debouncedWindow = useDebouncedValue(window, pauseMs);
  const shownWindow = debouncedWindow && covers(range, debouncedWindow) ? debouncedWindow : initialWindow(range);
  const span = detailSpan(shownWindow, range);
  const on = question !== null;
  const overview = useQuery({
    ...sampleQuery({ deviceName, ids: thin, ...range, points: overviewPoints, raw }),
    enabled: on && thin.length > 0,
  });
  const sum = useQuery({
    ...sampleQuery({ deviceName, ids: sums, ...range, points: null, raw }),
    enabled: on && sums.length > 0,
  });
  const needsDetail = overview.data ? !isComplete(overview.data) : range.to - range.from > dayMs;
  const detail = useQuery({
    ...sampleQuery({ deviceName, ids: thin, ...span, points: Math.min(maxPoints, 2 * points), raw }),
    enabled: on && thin.length > 0 && overviewPoints !== null && needsDetail,
  });
  // Of a long window with more readings than points, the means of hours are drawn. They are asked for
  // together with the detail: only it tells whether they are needed, and they would be drawn later.
  const quantities = asked.filter(({ kind }) => kind === 'line').map(({ id }) => id);
  const hours = useQuery({
    ...hoursQuery({ deviceName, ids: quantities, ...range, raw }),
    enabled: on && quantities.length > 0 && points >= leastPointsForHours && isLongEnough(shownWindow) && needsDetail,
  });

  const empty = useMemo<Sample>(
    () => ({ from: range.from, to: range.to, points: null, raw, lines: new Map(), texts: new Map() }),
    [range.from, range.to, raw],
  );
  // If only sums are requested, they are the whole answer.
  const shown = useLastAnswer(thin.length > 0 ? overview.data : sum.data && empty, deviceName);
  const finer = useLastAnswer(detail.data, deviceName);
  const summed = useLastAnswer(sum.data, deviceName);
  const hourly = useLastAnswer(hours.data, deviceName);
  const readings = useMemo<Readings | undefined>(() => {
    if (!shown) return undefined;
    // Raw numbers are not drawn beside corrected ones.
    const alike = <S extends { raw: boolean }>(sample: S | undefined) =>
      sample?.raw === shown.raw ? sample : undefined;
    return {
      range: { from: shown.from, to: shown.to },
      lines: prepareLines(asked, {
        overview: shown,
        detail: alike(finer),
        sums: alike(summed),
        hours: alike(hourly),
      }),
      texts: shown.texts,
    };
  }, [shown, finer, summed, hourly, asked]);

  const queries = [overview, sum, detail, hours];
  return {
    readings,
    /** When the first corrected reading of the range was; undefined if none is corrected. */
    corrected: useMemo(
      () => firstCorrected([shown, finer, summed].flatMap((sample) => [...(sample?.lines.values() ?? [])])),
      [shown, finer, summed],
    ),
    /** An answer is loading. */
    busy: queries.some(({ isFetching }) => isFetching),
    error: overview.error ?? sum.error ?? detail.error ?? hours.error,
    retry: () => {
      for (const query of queries) if (query.isError) void query.refetch();
    },
  };
}

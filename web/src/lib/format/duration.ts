import type { TFunction } from 'i18next';

const units = [
  { name: 'days', ms: 86_400_000 },
  { name: 'hours', ms: 3_600_000 },
  { name: 'minutes', ms: 60_000 },
  { name: 'seconds', ms: 1000 },
] as const;

type Unit = (typeof units)[number]['name'];

interface Part {
  unit: Unit;
  value: number;
}

function partsOf(ms: number): Part[] {
  let left = Math.max(0, ms);
  return units.map(({ name, ms: length }) => {
    const value = Math.floor(left / length);
    left -= value * length;
    return { unit: name, value };
  });
}

/** Chinese uses another word for minutes where seconds follow: 12分钟, 12分5秒. */
function partsText(parts: readonly Part[], t: TFunction): string {
  return parts
    .map(({ unit, value }, i) =>
      t(unit === 'minutes' && i < parts.length - 1 ? 'format.age.minutesAnd' : `format.age.${unit}`, { value }),
    )
    .reduce((first, rest) => t('format.age.both', { first, rest }));
}

/** A duration in its largest unit and the next below: 3 d 4 h, 12 min 5 s. */
export function formatDuration(ms: number, t: TFunction): string {
  const parts = partsOf(ms);
  const first = parts.findIndex(({ value }) => value > 0);
  if (first < 0) return t('format.age.seconds', { value: 0 });
  const [largest, next] = parts.slice(first, first + 2) as [Part, Part?];
  return partsText(next && next.value > 0 ? [largest, next] : [largest], t);
}

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];
/** What intervals are rounded to, the largest first. */
const intervalSteps = [
  24 * hourMs,
  hourMs,
  30 * minuteMs,
  10 * minuteMs,
  5 * minuteMs,
  minuteMs,
  30 * secondMs,
  10 * secondMs,
  5 * secondMs,
  secondMs,
];

/** How often something usually happens, as people say it: 10 min for 9 min 59 s. It is off by 5 % at most. */
export function formatInterval(ms: number, t: TFunction): string {
  const near = intervalSteps
    .map((step) => Math.round(ms / step) * step)
    .find((rounded) => 20 * Math.abs(rounded - ms) <= ms);
  return formatDuration(near ?? Math.max(ms, secondMs), t);
}

/** A duration in hours and minutes, however many hours: 31 h 20 min; in seconds if it is shorter than a minute. */
export function formatHours(ms: number, t: TFunction): string {
  if (ms < minuteMs) return t('format.age.seconds', { value: Math.round(ms / 1000) });
  const all = Math.round(ms / minuteMs);
  const parts: Part[] = [
    { unit: 'hours', value: Math.floor(all / 60) },
    { unit: 'minutes', value: all % 60 },
  ];
  return partsText(
    parts.filter(({ value }) => value > 0),
    t,
  );
}

/**
 * A duration down to the second, for one that is counting: 21 min 59 s, 1 h 0 min 5 s. Minutes and
 * seconds are always present.
 */
export function formatSpan(ms: number, t: TFunction): string {
  return partsText(
    partsOf(ms).filter(({ unit, value }) => value > 0 || unit === 'minutes' || unit === 'seconds'),
    t,
  );
}

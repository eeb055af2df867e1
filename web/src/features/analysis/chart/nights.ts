import { getTimes } from 'suncalc';
import type { Span } from '../data/line';

const dayMs = 86_400_000;
/** In longer ranges nights are too narrow to be seen. */
export const maxNightsMs = 45 * dayMs;

export interface Place {
  latitude: number;
  longitude: number;
}

/** The nights of a range at a place, from sunset to sunrise; in a polar night all of it, in a polar day none. */
export function nightsOf({ from, to }: Span, { latitude, longitude }: Place): Span[] {
  const nights: Span[] = [];
  let sunset: number | null = null;
  for (let day = from - 1.5 * dayMs; day <= to + 1.5 * dayMs; day += dayMs) {
    const times = getTimes(new Date(day), latitude, longitude);
    if (times.alwaysDown) sunset ??= day - dayMs / 2;
    const rise = times.sunrise?.getTime();
    if (rise !== undefined && sunset !== null) {
      nights.push({ from: sunset, to: rise });
      sunset = null;
    }
    if (times.sunset) sunset = times.sunset.getTime();
  }
  if (sunset !== null) nights.push({ from: sunset, to: to + dayMs });
  return nights
    .map((night) => ({ from: Math.max(from, night.from), to: Math.min(to, night.to) }))
    .filter((night) => night.to > night.from);
}

import { slotsADay } from '@/lib/alarm/period';

/** From one half hour to another, whichever is first. */
export function span(from: number, to: number): number[] {
  const [first, last] = from < to ? [from, to] : [to, from];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The slots as they were, with a span of them chosen or let go of; ascending. */
export function painted(before: readonly number[], from: number, to: number, on: boolean): number[] {
  const touched = new Set(span(from, to));
  const rest = before.filter((slot) => !touched.has(slot));
  return (on ? [...rest, ...touched] : rest).sort((a, b) => a - b);
}

/** Where a key leads among the half hours, `columns` of which stand in a row; undefined for keys that lead nowhere. */
export function slotAfter(key: string, slot: number, columns: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
  };
  if (key === 'Home') return 0;
  if (key === 'End') return slotsADay - 1;
  const step = steps[key];
  if (step === undefined) return undefined;
  const next = slot + step;
  return next >= 0 && next < slotsADay ? next : slot;
}

/** The half hours of a period that goes over midnight, as whole ones that hold it. */
export function overnightSlots(startMinutes: number, endMinutes: number): number[] {
  const first = Math.floor(startMinutes / 30);
  const end = Math.ceil(endMinutes / 30);
  return Array.from({ length: slotsADay }, (_, slot) => slot).filter((slot) => slot >= first || slot < end);
}

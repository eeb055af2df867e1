import { describe, expect, it } from 'vitest';
import type { Series } from '@/lib/device/types';
import { joinSeries, type Read, readBeside, tenthBeside } from './around';
import { spanOf } from './readings';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = 1_795_230_000_000;
const end = start + hour;

/** The readings of a device that reports every so often, from some time on. */
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => ({ time: from + i * step, value: 1 }));

/** A device's readings, and what was asked for, as durations in hours. */
function device(all: Series) {
  const asked: { signs: string; hours: number; kind: string }[] = [];
  const read: Read = async (signs, from, to, kind) => {
    asked.push({ signs: signs.join(), hours: Math.round((to - from) / hour), kind });
    const inside = signs.map((sign) => [sign, (all[sign] ?? []).filter(({ time }) => time >= from && time <= to)]);
    return Object.fromEntries(inside);
  };
  const known = start - 5 * minute;
  const readBefore = async (numeric: readonly string[], limit = start - 20 * day) => {
    const signs = Object.keys(all);
    const series = await read(signs, known, start, 'all');
    asked.length = 0;
    const side = { of: start, direction: -1 as const, known, limit };
    return joinSeries([await readBeside(side, series, signs, numeric, read), series]);
  };
  return { asked, readBefore };
}

describe('the readings beside an alarm', () => {
  it('are already known of a device that reports each second', async () => {
    const { asked, readBefore } = device({ a: every(1000, start - hour, start) });
    await readBefore(['a']);
    expect(asked).toEqual([]);
  });

  it('are looked for further and further away, each time only there', async () => {
    const { asked, readBefore } = device({ a: every(hour, start - 40 * hour, start) });
    const found = await readBefore(['a']);
    expect(asked.map(({ hours, kind }) => [hours, kind])).toEqual([
      [2, 'thinned'],
      [22, 'thinned'],
    ]);
    expect(tenthBeside(found, start, -1)).toBe(start - 10 * hour);
    expect(new Set(found.a?.map(({ time }) => time)).size).toBe(found.a?.length);
  });

  it('are not looked for beyond the limit', async () => {
    const { asked, readBefore } = device({ a: [{ time: start - 25 * day, value: 1 }] });
    expect((await readBefore(['a'])).a).toEqual([]);
    expect(asked.reduce((sum, { hours }) => sum + hours, 0)).toBe(20 * 24);
    expect(await device({ a: every(day, start - 9 * day, start) }).readBefore(['a'], start - 5 * minute)).toEqual({
      a: [{ time: start, value: 1 }],
    });
  });

  it('are all asked for of a switch, but only of a day', async () => {
    const { asked, readBefore } = device({
      pump: every(5 * hour, start - 9 * day, start),
      a: every(1000, start - day, start),
    });
    const found = await readBefore(['a']);
    expect(asked.map(({ signs, hours, kind }) => [signs, hours, kind])).toEqual([
      ['pump', 2, 'all'],
      ['a', 2, 'thinned'],
      ['pump', 22, 'all'],
      ['a', 22, 'thinned'],
    ]);
    expect(found.pump).toHaveLength(5);
  });
});

describe('the time axis', () => {
  const question = { deviceName: 'WS-1', signs: ['a', 'b'], numeric: ['a', 'b'], start, end };

  it('spans five minutes on each side if they have ten readings', () => {
    const series = { a: every(10_000, start - hour, end + hour) };
    expect(spanOf(question, series, end + day)).toEqual({ from: start - 5 * minute, to: end + 5 * minute });
  });

  it('spans ten readings of the attribute that is read least often', () => {
    const series = { a: every(10_000, start - hour, end + hour), b: every(20 * minute, start - day, end + day) };
    expect(spanOf(question, series, end + day)).toEqual({ from: start - 200 * minute, to: end + 200 * minute });
  });

  it('does not stretch for an attribute with fewer, unless all have fewer', () => {
    const b = [start - 9 * day, end + 9 * day].map((time) => ({ time, value: 1 }));
    const series = { a: every(10_000, start - hour, end + hour), b };
    expect(spanOf(question, series, end + day)).toEqual({ from: start - 5 * minute, to: end + 5 * minute });
    expect(spanOf(question, { b }, end + day)).toEqual({ from: start - 9 * day, to: end + 9 * day });
  });

  it('ends five minutes from now while the alarm is open, and is at most thirty days long', () => {
    const { end: _, ...open } = question;
    const series = { a: every(hour, start - day, start) };
    expect(spanOf(open, series, start + hour)).toEqual({ from: start - 10 * hour, to: start + hour + 5 * minute });
    expect(spanOf(open, series, start + 90 * day).to).toBe(start - 10 * hour + 30 * day);
  });

  it('of presence changes has only the margin', () => {
    const series = { onlineState: every(day, start - 9 * day, end + 9 * day) };
    expect(spanOf({ ...question, signs: [] }, series, end + day)).toEqual({
      from: start - 5 * minute,
      to: end + 5 * minute,
    });
  });
});

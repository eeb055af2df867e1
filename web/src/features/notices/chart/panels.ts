import { type Threshold, thresholdsOf } from '@/lib/alarm/threshold';
import type { Series } from '@/lib/device/types';
import { type Scale, scaleFor } from '@/ui/chart/scale';
import type { AlarmDetail, DeviceProperty } from '../queries';
import type { Span } from './readings';

export interface Trace {
  sign: string;
  name: string;
  unit: string;
  precision: number | undefined;
  /** Index of the colour. */
  color: number;
  /** Time and height; for steps, the height is the index of the label. */
  points: [time: number, value: number][];
  /** The readings that triggered the alarm, in the same form. */
  marks: [time: number, value: number][];
}

/**
 * One plot: the numbers of one unit, or the steps of one switch or text. All plots share the time
 * axis.
 */
export interface Panel {
  unit: string;
  traces: Trace[];
  scale: Scale;
  limits: Threshold[];
  /** For steps: the meaning of each height. */
  labels?: string[];
}

type Property = Pick<DeviceProperty, 'identifier' | 'yeuName' | 'elementUnit' | 'precision'>;

export interface Words {
  off: string;
  on: string;
  offline: string;
  online: string;
  presence: string;
}

type Value = number | boolean | string;

/**
 * The plots of a notice's chart. `until`: the time up to which the last step is known to have
 * lasted. `leastSpans`: how much the axis of an attribute spans at least.
 */
export function panelsOf(
  detail: AlarmDetail,
  series: Series,
  span: Span,
  until: number,
  words: Words,
  leastSpans: ReadonlyMap<string, number>,
  main?: Property,
): Panel[] {
  const { alarmRules, alarmNotice, samples } = detail;
  if (alarmRules.triggerType === 1) {
    const sent = main && sentBySilent(main, series, span, leastSpans.get(main.identifier) ?? 0, words);
    if (sent) return [sent];
    const points = presencePoints(series.onlineState ?? [], alarmNotice, alarmRules.durations, span, until);
    const trace = { sign: 'onlineState', name: words.presence, unit: '', precision: undefined, color: 0 };
    return [steps({ ...trace, points, marks: [] }, [words.offline, words.online])];
  }
  const limits = thresholdsOf(alarmRules.conditions);
  const panels = new Map<string, Panel>();
  const seen = new Set<string>();
  for (const { tslAttribute: sign, yeuName, elementUnit: unit, precision, value } of alarmRules.conditions) {
    if (seen.has(sign)) continue;
    const color = seen.size % 8;
    seen.add(sign);
    const inside = (series[sign] ?? []).filter(({ time }) => time >= span.from && time <= span.to);
    const marked = samples.flatMap(({ time, values }) => {
      const given = values[sign];
      return given === undefined ? [] : [{ time, value: given as Value }];
    });
    const trace = { sign, name: yeuName || sign, unit, precision, color };
    if (typeof value === 'number') {
      const numbers = (list: readonly { time: number; value: Value }[]) =>
        list.flatMap(({ time, value: point }): [number, number][] =>
          typeof point === 'number' ? [[time, point]] : [],
        );
      const panel = panels.get(unit) ?? { unit, traces: [], scale: { min: 0, max: 1, step: 1 }, limits: [] };
      panel.traces.push({ ...trace, points: numbers(inside), marks: numbers(marked) });
      panel.limits.push(...limits.filter((limit) => limit.sign === sign));
      panels.set(unit, panel);
      continue;
    }
    const labels =
      typeof value === 'boolean'
        ? [words.off, words.on]
        : [...new Set([...inside, ...marked].flatMap(({ value: point }) => (typeof point === 'string' ? point : [])))];
    const height = (step: Value) => (typeof step === 'boolean' ? Number(step) : labels.indexOf(String(step)));
    const at = (list: readonly { time: number; value: Value }[]) =>
      list.map(({ time, value: step }): [number, number] => [time, height(step)]);
    const points = at(inside);
    const last = points.at(-1);
    if (last && last[0] < until) points.push([until, last[1]]);
    panels.set(`step ${sign}`, steps({ ...trace, points, marks: at(marked) }, labels));
  }
  for (const panel of panels.values()) {
    const leastSpan = Math.max(0, ...panel.traces.map(({ sign }) => leastSpans.get(sign) ?? 0));
    if (!panel.labels) panel.scale = scaleOf(panel, panels.size > 1 ? 2 : 4, leastSpan);
  }
  return [...panels.values()];
}

/** What a silent device sent of its main property; undefined: nothing that can be drawn. */
function sentBySilent(
  { identifier: sign, yeuName, elementUnit: unit, precision }: Property,
  series: Series,
  { from, to }: Span,
  leastSpan: number,
  { off, on }: Words,
): Panel | undefined {
  const inside = (series[sign] ?? []).filter(
    ({ time, value }) => time >= from && time <= to && typeof value !== 'string',
  );
  const [first] = inside;
  if (!first) return undefined;
  const points = inside.map(({ time, value }): [number, number] => [time, Number(value)]);
  const trace = { sign, name: yeuName || sign, unit, precision, color: 0, points, marks: [] };
  if (typeof first.value === 'boolean') return steps(trace, [off, on]);
  const panel = { unit, traces: [trace], scale: { min: 0, max: 1, step: 1 }, limits: [] };
  return { ...panel, scale: scaleOf(panel, 4, leastSpan) };
}

function steps(trace: Trace, labels: string[]): Panel {
  const scale = { min: -0.25, max: Math.max(1, labels.length - 1) + 0.25, step: 1 };
  return { unit: '', traces: [trace], scale, limits: [], labels };
}

/** A scale that contains every reading and every limit, with a margin. */
function scaleOf({ traces, limits }: Panel, ticks: number, leastSpan: number): Scale {
  const values = traces.flatMap(({ points, marks }) => [...points, ...marks].map(([, value]) => value));
  const lines = limits.flatMap(({ value, recovery }) => (recovery === null ? [value] : [value, recovery]));
  const all = [...values, ...lines];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of all) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (all.length === 0) return { min: 0, max: 1, step: 1 };
  const room = (high - low) * 0.06;
  return scaleFor(low - room, high + room, ticks, leastSpan);
}

/**
 * Builds the points from the known changes: the state before the first change is its opposite, and
 * the device was certainly offline at the alarm.
 */
function presencePoints(
  changes: readonly { time: number; value: Value }[],
  { startTime, endTime }: AlarmDetail['alarmNotice'],
  durations: number,
  { from, to }: Span,
  until: number,
): [number, number][] {
  const end = Math.min(until, to);
  const before = changes.filter(({ time }) => time <= from).at(-1);
  const inside = changes.filter(({ time }) => time > from && time <= end);
  const first = inside[0];
  const points: [number, number][] = inside.map(({ time, value }) => [time, Number(value)]);
  if (before) points.unshift([from, Number(before.value)]);
  else if (first) points.unshift([from, Number(!first.value)]);
  else points.push([Math.max(from, startTime - durations), 0], [endTime ?? end, 0]);
  const last = points.at(-1);
  if (last && last[0] < end && (before || first)) points.push([end, last[1]]);
  return points;
}

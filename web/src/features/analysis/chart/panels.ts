import { type Scale, scaleFor } from '@/ui/chart/scale';
import { indexFrom } from '@/ui/chart/times';
import { depthOf, type SoilMarks } from '../data/attributes';
import type { Axis, Column } from '../data/column';
import type { Line, Span } from '../data/line';
import { type Bar, type BarPeriod, barPeriod, barsOf } from './bars';
import { type Limit, limitsWithin } from './limits';
import { lengthOf } from './runs';

/**
 * One plot of the chart. `numbers`: the lines of one unit. `sums`: bars of one unit. `step`: one
 * switch. `depth`: one depth of a probe.
 */
export interface Panel {
  key: string;
  kind: 'numbers' | 'sums' | 'step' | 'depth';
  unit: string;
  columns: Column[];
  scale: Scale;
  /** Of the drawn lines, by their key. */
  strokes: ReadonlyMap<string, readonly number[] | undefined>;
  /** For sums: the bars by the column's key, and their period. */
  bars?: { period: BarPeriod; of: ReadonlyMap<string, readonly Bar[]> };
  /** For depths: the marks of the soil, if they are known. */
  marks?: SoilMarks;
  limits: Limit[];
}

/** The strokes of a device's lines in one plot: they share its colour. */
const strokes: readonly (readonly number[] | undefined)[] = [undefined, [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [1, 2]];

interface Options {
  axis: Axis;
  span: Span;
  /** The width of the plots, in pixels. */
  width: number;
  /** About how many steps an axis has. */
  steps: number;
  /** Low and high of hours and days are drawn. */
  band: boolean;
  /** Soil moisture is split by depth. */
  depths: boolean;
  marksOf: (sign: string) => SoilMarks | undefined;
  limits: readonly Limit[];
}

/** The plots, in the order of their first lines; those of depths from the top of the soil down. */
export function panelsOf(columns: readonly Column[], options: Options): Panel[] {
  const groups = new Map<string, { kind: Panel['kind']; columns: Column[] }>();
  for (const column of columns) {
    const { key, kind } = groupOf(column, columns, options.depths);
    const group = groups.get(key);
    if (group) group.columns.push(column);
    else groups.set(key, { kind, columns: [column] });
  }
  const panels = [...groups].map(([key, group]) => panelOf(key, group.kind, group.columns, options));
  return sortDepths(panels);
}

function groupOf(
  { sign, unit, kind }: Column,
  all: readonly Column[],
  depths: boolean,
): { key: string; kind: Panel['kind'] } {
  if (kind === 'step') return { key: `step ${sign}`, kind: 'step' };
  // Sums and momentary depths of water need separate axes, though both are in millimetres.
  if (kind === 'sum') return { key: `sum ${unit}`, kind: 'sums' };
  if (depths && isSplit(sign, all)) return { key: `depth ${sign}`, kind: 'depth' };
  return { key: `unit ${unit}`, kind: 'numbers' };
}

/** Whether a moisture is drawn at several depths. */
export function isSplit(sign: string, all: readonly Pick<Column, 'sign'>[]): boolean {
  const own = depthOf(sign);
  if (own?.quantity !== 'soilMoisture') return false;
  return all.some(({ sign: other }) => other !== sign && depthOf(other)?.quantity === own.quantity);
}

function panelOf(key: string, kind: Panel['kind'], columns: Column[], options: Options): Panel {
  const signs = [...new Set(columns.map(({ sign }) => sign))];
  const period = barPeriod(
    columns.map(({ line }) => line),
    options.span,
    options.width,
  );
  const bars =
    kind === 'sums'
      ? { period, of: new Map(columns.map(({ key: of, line }) => [of, barsOf(line, options.axis, period)])) }
      : undefined;
  const marks = kind === 'depth' ? options.marksOf(signs[0] ?? '') : undefined;
  const panel = {
    key,
    kind,
    unit: columns[0]?.unit ?? '',
    columns,
    bars,
    marks,
    strokes: new Map(columns.map(({ key: of, sign }) => [of, strokes[signs.indexOf(sign) % strokes.length]])),
  };
  const { scale, limits } = scaleOf(panel, options);
  return { ...panel, scale, limits };
}

function scaleOf(
  { kind, columns, bars, marks }: Pick<Panel, 'kind' | 'columns' | 'bars' | 'marks'>,
  { span, steps, band, limits }: Options,
): { scale: Scale; limits: Limit[] } {
  if (kind === 'step') return { scale: { min: -0.15, max: 1.15, step: 1 }, limits: [] };
  const own = limits.filter(({ sign, deviceNames }) =>
    columns.some((column) => column.sign === sign && deviceNames.includes(column.deviceName)),
  );
  if (bars) {
    const sums = [...bars.of.values()].flat().filter((bar) => bar.to >= span.from && bar.from <= span.to);
    const high = Math.max(0, ...sums.map(({ sum }) => sum));
    const least = Math.max(0, ...columns.map(({ leastSpan }) => leastSpan));
    return { scale: scaleFor(0, Math.max(high, least) || 1, steps), limits: [] };
  }
  if (columns.every((column) => column.kind === 'direction')) {
    return { scale: { min: 0, max: 360, step: 90 }, limits: own };
  }
  const extents = columns.map(({ line }) => extent(line, span, band));
  let low = Math.min(...extents.map(([from]) => from));
  let high = Math.max(...extents.map(([, to]) => to));
  if (!Number.isFinite(low)) [low, high] = [0, 1];
  if (marks) [low, high] = [Math.min(low, marks.refill), Math.max(high, marks.full)];
  const drawn = limitsWithin(own, low, high);
  const all = drawn.flatMap(({ value, recovery }) => (recovery === null ? [value] : [value, recovery]));
  const leastSpan = Math.max(...columns.map((column) => column.leastSpan));
  const scale = scaleFor(Math.min(low, ...all), Math.max(high, ...all), kind === 'depth' ? 4 : steps, leastSpan);
  return { scale, limits: own };
}

/** The lowest and the highest drawn value of a span. */
function extent({ times, low, mean, high, resolution }: Line, span: Span, band: boolean): [number, number] {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const last = indexFrom(times, span.to + 1);
  for (let i = indexFrom(times, span.from - lengthOf[resolution]); i < last; i += 1) {
    lowest = Math.min(lowest, (band ? low[i] : mean[i]) ?? lowest);
    highest = Math.max(highest, (band ? high[i] : mean[i]) ?? highest);
  }
  return [lowest, highest];
}

/** The plots of depths stand together, where the first of them is, the shallowest on top. */
function sortDepths(panels: Panel[]): Panel[] {
  const deep = panels.filter(({ kind }) => kind === 'depth');
  const depth = ({ columns }: Panel) => depthOf(columns[0]?.sign ?? '')?.depth ?? 0;
  deep.sort((a, b) => depth(a) - depth(b));
  const first = panels.findIndex(({ kind }) => kind === 'depth');
  const others = panels.filter(({ kind }) => kind !== 'depth');
  // Depths can be compared only on one axis.
  const scale = deep.length > 0 ? together(deep.map((panel) => panel.scale)) : undefined;
  const drawn = deep.map((panel) => (scale ? { ...panel, scale } : panel));
  return first < 0 ? others : [...others.slice(0, first), ...drawn, ...others.slice(first)];
}

const together = (scales: readonly Scale[]): Scale =>
  scaleFor(Math.min(...scales.map(({ min }) => min)), Math.max(...scales.map(({ max }) => max)), 3);

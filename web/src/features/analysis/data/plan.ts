import { isRain } from '@/lib/device/propertyKind';
import { type Device, nameOf, type TslProperty } from '@/lib/device/types';
import type { AnalysisSearch } from '../search';
import { type Attribute, attributesOf, type Warmth, warmthOf } from './attributes';
import type { Axis, Column } from './column';
import { type DegreeDays, degreeDays, seasonStart } from './degreeDays';
import { emptyLine, type Line, retime, type Span } from './line';
import { retimeOnTimes } from './onTimes';
import type { Ask, Lines } from './queries';
import { yearBefore, yearLater } from './span';
import { switchLine } from './switchLine';

/** A chosen device with its product's properties. */
export interface Source {
  device: Device;
  /** The number of its colour: its place in the address. */
  color: number;
  model: readonly TslProperty[];
}

export const defaultSince = '01-01';
const defaultBase = 10;

/** The season whose degree days are the axis. */
interface SeasonPlan {
  source: Source;
  warmth: Warmth;
  base: number;
  since: string;
  /** This year's, and that of the year before. */
  spans: [Span, Span];
  /** Indices of their days' temperatures among the calls. */
  asks: [number, number];
}

/** Which calls are made, and what their answers are for. */
export interface Plan {
  axis: Axis;
  /** The range of this year's lines. */
  span: Span;
  asks: Ask[];
  /** By the index of the call. */
  lines: { source: number; attributes: Attribute[]; compared: boolean; ask: number }[];
  /** Directions or switches were chosen, and the range is too long for them. */
  leftOut: boolean;
  /** Every reading was asked for, and the range is too long for that. */
  rawTooLong: boolean;
  /** The names of devices that have none of the attributes. */
  undrawn: string[];
  rain: { source: number; attribute: Attribute; ask: number } | null;
  /** Null: no device measures the temperature that degree days need, or they are not asked for. */
  season: SeasonPlan | null;
}

/** The longest range of which single readings are drawn. */
const maxReadingsMs = 31 * 86_400_000;

/** The longest range of which the on-times of switches are answered. */
const maxOnTimesMs = 400 * 86_400_000;

/** The mean of directions is not a direction: only their readings are drawn. Switches have on-times. */
const isSingle = (kind: Attribute['kind']) => kind === 'direction' || kind === 'step';

type Compared = Pick<AnalysisSearch, 'compare' | 'since' | 'base'>;

interface Wanted {
  sources: readonly Source[];
  signs: readonly string[];
  search: Compared & Pick<AnalysisSearch, 'by'>;
  span: Span;
  /** The most values of a property for automatic resolution. */
  points: number;
  /** Rain is drawn over the lines. */
  rain: boolean;
}

/** The calls for what the address names. */
export function planOf({ sources, signs, search, span, points, rain }: Wanted): Plan {
  const asks: Ask[] = [];
  const ask = (source: Source, wanted: readonly string[], of: Span, by: Ask['by']) =>
    asks.push({ deviceName: source.device.deviceName, signs: wanted, span: of, by, points }) - 1;

  const season = search.compare === 'degreeDays' ? seasonOf(sources, search, span.to, ask) : null;
  const own = season ? season.spans[0] : span;
  const before = season
    ? season.spans[1]
    : { from: Math.max(0, yearBefore(span.from)), to: Math.max(0, yearBefore(span.to)) };
  // All that there is has nothing before it.
  const compared = season !== null || (search.compare === 'date' && span.from > 0);
  // All readings of a long range may be more than a browser can hold.
  const readable = season === null && span.from > 0 && span.to - span.from <= maxReadingsMs;
  const timed = season === null && span.from > 0 && span.to - span.from <= maxOnTimesMs;
  const rawTooLong = search.by === 'raw' && !readable;
  const by = rawTooLong ? 'auto' : (search.by ?? 'auto');
  const lines: Plan['lines'] = [];
  let leftOut = false;
  const undrawn: string[] = [];
  sources.forEach((source, index) => {
    const attributes = attributesOf(source.model).filter(({ sign }) => signs.includes(sign));
    attributes.sort((a, b) => signs.indexOf(a.sign) - signs.indexOf(b.sign));
    if (attributes.length === 0 && signs.length > 0) undrawn.push(nameOf(source.device));
    const directions = attributes.filter(({ kind }) => kind === 'direction');
    const switches = attributes.filter(({ kind }) => kind === 'step');
    if ((directions.length > 0 && !readable) || (switches.length > 0 && !timed)) leftOut = true;
    const parts: { part: Attribute[]; as: Ask['by'] }[] = [
      { part: attributes.filter(({ kind }) => !isSingle(kind)), as: by },
      { part: readable ? directions : [], as: 'raw' },
      ...(timed ? switches.map((attribute) => ({ part: [attribute], as: 'onTimes' as const })) : []),
    ];
    for (const { part, as } of parts) {
      if (part.length === 0) continue;
      const wanted = part.map(({ sign }) => sign);
      if (compared)
        lines.push({ source: index, attributes: part, compared: true, ask: ask(source, wanted, before, as) });
      lines.push({ source: index, attributes: part, compared: false, ask: ask(source, wanted, own, as) });
    }
  });
  const axis = season ? 'degreeDays' : 'time';
  return {
    axis,
    span: own,
    asks,
    lines,
    leftOut,
    rawTooLong,
    undrawn,
    rain:
      rain && !season
        ? rainOf({ sources, signs, lines, asks, ask: (source, wanted) => ask(source, wanted, own, by) })
        : null,
    season,
  };
}

type AskFor = (source: Source, signs: readonly string[], of: Span, by: Ask['by']) => number;

function seasonOf(sources: readonly Source[], search: Compared, to: number, ask: AskFor): SeasonPlan | null {
  for (const source of sources) {
    const warmth = warmthOf(source.model);
    if (!warmth) continue;
    const since = search.since ?? defaultSince;
    const from = seasonStart(since, to);
    const spans: [Span, Span] = [
      { from, to },
      { from: yearBefore(from), to: yearBefore(to) },
    ];
    const [own, before] = spans.map((of) => ask(source, [warmth.sign], of, 'day')) as [number, number];
    return { source, warmth, base: search.base ?? warmth.base ?? defaultBase, since, spans, asks: [own, before] };
  }
  return null;
}

interface RainWanted extends Pick<Plan, 'lines' | 'asks'>, Pick<Wanted, 'sources' | 'signs'> {
  ask: (source: Source, signs: readonly string[]) => number;
}

/**
 * The rain of the first device that measures any, asked for together with the device's lines; null
 * if its rain is drawn anyway.
 */
function rainOf({ sources, signs, lines, asks, ask }: RainWanted): Plan['rain'] {
  for (const [index, source] of sources.entries()) {
    const property = source.model.find(isRain);
    const [attribute] = property ? attributesOf([property]) : [];
    if (!attribute) continue;
    if (signs.includes(attribute.sign)) return null;
    const own = lines.find(
      (line) => line.source === index && !line.compared && !line.attributes.some(({ kind }) => isSingle(kind)),
    );
    const asked = own && asks[own.ask];
    if (!own || !asked) return { source: index, attribute, ask: ask(source, [attribute.sign]) };
    asks[own.ask] = { ...asked, signs: [...asked.signs, attribute.sign] };
    return { source: index, attribute, ask: own.ask };
  }
  return null;
}

/** What the page draws. */
export interface Drawn {
  columns: Column[];
  rain: Column | null;
  /** The degree days of this year and the year before; null without them. */
  season: { days: [DegreeDays, DegreeDays]; plan: SeasonPlan } | null;
  /** The range of the axis. */
  span: Span;
}

/** Puts the answers together; they are in the order of the calls. */
export function drawnOf(plan: Plan, sources: readonly Source[], answers: readonly Lines[]): Drawn {
  const season = plan.season && { days: degreeDaysOf(plan.season, answers), plan: plan.season };
  const columns = plan.lines.flatMap(({ source, attributes, compared, ask }) =>
    attributes.flatMap((attribute): Column[] => {
      const answer = answers[ask]?.get(attribute.sign);
      const line = answer && moved(answer, compared, season?.days);
      // Of a season whose degree days cannot be relied on, no value has a place.
      return line && line.times.length > 0 ? [columnOf(sources, source, attribute, compared, line)] : [];
    }),
  );
  const rainLine = plan.rain && answers[plan.rain.ask]?.get(plan.rain.attribute.sign);
  const rain = plan.rain && rainLine ? columnOf(sources, plan.rain.source, plan.rain.attribute, false, rainLine) : null;
  return { columns, rain, season, span: season ? degreeSpan(season.days) : timeSpan(plan.span, columns) };
}

function columnOf(
  sources: readonly Source[],
  source: number,
  { sign, ...attribute }: Attribute,
  compared: boolean,
  line: Line,
): Column {
  const { device, color } = sources[source] as Source;
  const { deviceName } = device;
  const key = `${deviceName} ${sign}${compared ? ' before' : ''}`;
  return { key, deviceName, device: nameOf(device), sign, ...attribute, color, compared, line };
}

function moved(line: Line, compared: boolean, days: [DegreeDays, DegreeDays] | undefined): Line {
  if (days) return retime(line, days[compared ? 1 : 0].at);
  if (!compared) return line;
  return line.onTimes ? switchLine(retimeOnTimes(line.onTimes, yearLater)) : retime(line, yearLater());
}

function degreeDaysOf({ warmth, spans, asks, base }: SeasonPlan, answers: readonly Lines[]): [DegreeDays, DegreeDays] {
  return [0, 1].map((year) =>
    degreeDays(answers[asks[year] ?? 0]?.get(warmth.sign) ?? emptyLine, spans[year] as Span, base),
  ) as [DegreeDays, DegreeDays];
}

/** To the larger sum of the two years, as far as they can be relied on. */
const degreeSpan = (days: [DegreeDays, DegreeDays]): Span => ({
  from: 0,
  to: Math.max(1, ...days.map(({ total, reliable }) => (reliable ? Math.ceil(total) : 0))),
});

/** All begins with the first value that there is. */
function timeSpan(span: Span, columns: readonly Column[]): Span {
  if (span.from > 0) return span;
  const from = Math.min(...columns.map(({ line }) => line.times[0] ?? span.to));
  return { from: Number.isFinite(from) && from < span.to ? from : span.to - 3_600_000, to: span.to };
}

import { commonGaps } from '@/ui/chart/times';
import type { Attribute } from './attributes';
import { findGaps, lastReadingTime, spliceGaps, stepLine } from './gaps';
import type { Hours } from './hours';
import type { HoursSample, Sample } from './queries';
import type { Span } from './range';
import { type Line, noLine, splice } from './series';
import { covers } from './window';

/** One attribute's line, ready for the chart and the figures. */
export interface PreparedLine {
  line: Line;
  gaps: Span[];
  /**
   * Whether the line holds every reading of a span: otherwise its mean is only that of the kept
   * readings.
   */
  isExact: (span: Span) => boolean;
  /** By the hour, where even the finer readings are thinned; of other lines undefined. */
  hours?: Hours | undefined;
}

interface Samples {
  overview: Sample;
  /** Finer readings of a part of the range. */
  detail: Sample | undefined;
  /** Every reading of the summed attributes. */
  sums: Sample | undefined;
  hours?: HoursSample | undefined;
}

const always = () => true;

/** Joins the samples into one line per attribute. Attributes without an answer yet are absent. */
export function prepareLines(attributes: readonly Attribute[], samples: Samples): Map<string, PreparedLine> {
  const { overview, sums } = samples;
  // Readings of another range than the overview's belong to an outdated question.
  const detail = samples.detail && covers(overview, samples.detail) ? samples.detail : undefined;
  const hours =
    samples.hours?.from === overview.from && samples.hours.to === overview.to ? samples.hours.hours : undefined;
  const result = new Map<string, PreparedLine>();
  const numbers: PreparedLine[] = [];
  const stepping: Attribute[] = [];
  const add = (id: string, drawn: PreparedLine) => {
    result.set(id, drawn);
    numbers.push(drawn);
  };
  for (const attribute of attributes) {
    const { id, kind } = attribute;
    if (kind === 'step') stepping.push(attribute);
    else if (kind === 'sum') {
      const line = sums && sums.from === overview.from && sums.to === overview.to ? sums.lines.get(id) : undefined;
      if (sums && line) add(id, { line, gaps: findGaps(line, sums), isExact: always });
    } else if (kind !== 'words') {
      const drawn = joinDetail(id, overview, detail);
      const thinned = kind === 'line' && (detail?.lines.get(id)?.bucket ?? 0) > 0;
      if (drawn) add(id, thinned ? { ...drawn, hours: hours?.get(id) } : drawn);
    }
  }
  if (stepping.length === 0) return result;
  // The server sends only the changes of on and off. Whether the device reported at all shows in
  // its numeric attributes, which are requested besides if necessary.
  const contactIds = [...overview.lines.keys()].filter((id) => !stepping.some((attribute) => attribute.id === id));
  const contactLines =
    numbers.length > 0 ? numbers : contactIds.flatMap((id) => joinDetail(id, overview, detail) ?? []);
  for (const { id } of stepping) {
    const drawn = joinDetail(id, overview, detail);
    if (!drawn) continue;
    const own = overview.points === null ? drawn.gaps : [];
    const gaps = contactLines.length > 0 ? commonGaps(contactLines.map((other) => other.gaps)) : own;
    const end = lastReadingTime([drawn.line, ...contactLines.map((other) => other.line)], overview.to);
    result.set(id, { ...stepLine(drawn.line, gaps, end), isExact: always });
  }
  return result;
}

function joinDetail(id: string, overview: Sample, detail: Sample | undefined): PreparedLine | undefined {
  const coarse = overview.lines.get(id);
  if (!coarse) return undefined;
  const coarseGaps = findGaps(coarse, overview);
  const fine = detail?.lines.get(id);
  if (coarse.bucket === 0) return { line: coarse, gaps: coarseGaps, isExact: always };
  if (!detail || !fine) return { line: coarse, gaps: coarseGaps, isExact: () => false };
  return {
    line: splice(coarse, fine, detail),
    gaps: spliceGaps(coarseGaps, findGaps(fine, detail), detail),
    isExact: (span) => fine.bucket === 0 && covers(detail, span),
  };
}

/** Whether a sample has all readings. */
export function isComplete(sample: Sample): boolean {
  return [...sample.lines.values()].every(({ bucket }) => bucket === 0);
}

export const emptyPreparedLine: PreparedLine = { line: noLine, gaps: [], isExact: always };

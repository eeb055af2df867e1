import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { formatDateTime, formatDay, startOfDay } from '@/lib/format/date';
import { type Format, missingValue, useFormat } from '@/lib/format/format';
import type { Axis, Column } from '../data/column';
import type { LineResolution, Span } from '../data/line';
import type { OnTimes, Phase } from '../data/onTimes';
import css from './AnalysisChart.module.css';
import type { Mark } from './crosshair';
import { type Geometry, xOf, yIn } from './geometry';
import { colorOf } from './Lines';
import { fullName } from './names';
import type { Panel } from './panels';
import { placeOf } from './runs';

interface CrossLineProps {
  at: number;
  marks: readonly Mark[];
  panels: readonly Panel[];
  geometry: Geometry;
  axis: Axis;
  span: Span;
}

/** A line across all plots, and a dot on each line. */
export function CrossLine({ at, marks, panels, geometry, axis, span }: CrossLineProps) {
  const x = xOf(at, span, geometry);
  const last = geometry.boxes.at(-1);
  return (
    <g data-interactive="">
      <line className={css.crossLine} x1={x} x2={x} y1={0} y2={last ? last.top + last.height : geometry.height} />
      {panels.flatMap((panel, index) => {
        const box = geometry.boxes[index];
        if (!box || panel.bars || panel.kind === 'step') return [];
        const y = yIn(panel, box);
        return marks.flatMap(({ column, index: value }) => {
          if (value === null || !panel.columns.includes(column)) return [];
          const place = xOf(placeOf(column.line, value, axis), span, geometry);
          if (place < geometry.left - 1 || place > geometry.left + geometry.plotWidth + 1) return [];
          return (
            <circle
              key={column.key}
              className={css.crossDot}
              stroke={colorOf(column)}
              cx={place}
              cy={y(column.line.mean[value] ?? 0)}
              r={4}
            />
          );
        });
      })}
    </g>
  );
}

/** A moment, the hour or the day in which it is, or degree days, in words. */
export function placeText(at: number, axis: Axis, format: Format, resolution: LineResolution = 'raw'): string {
  if (axis === 'degreeDays') return format.reading({ value: at, unit: '°C·d', precision: 0 });
  if (resolution === 'day') return formatDay(at, now(), format.language);
  // A day may begin within an hour.
  const begin = resolution === 'hour' ? Math.max(Math.floor(at / hourMs) * hourMs, startOfDay(at)) : at;
  return formatDateTime(begin, format.language);
}

const hourMs = 3_600_000;

/** The coarsest resolution of what the marks show. */
export function resolutionOf(marks: readonly Mark[]): LineResolution {
  const all = new Set(marks.map(({ column }) => column.line.resolution));
  return (['day', 'hour'] as const).find((resolution) => all.has(resolution)) ?? 'raw';
}

/** A line's value, and its low and high if it stands for several readings. */
export function valueTexts(
  { column, index, drawn }: Mark,
  format: Format,
  t: TFunction,
): { value: string; range: string | null } {
  if (drawn) {
    const { unit, precision } = column;
    const value = drawn.bar ? format.reading({ value: drawn.bar.sum, unit, precision }) : missingValue;
    return { value, range: t(`analysis.per.${drawn.period}`) };
  }
  if (index === null) return { value: missingValue, range: null };
  const { line, kind, unit, precision } = column;
  const at = (list: Float64Array) => list[index] ?? 0;
  const mean = at(line.mean);
  if (line.onTimes) {
    const { phases, days } = line.onTimes;
    const phase = phases?.[index];
    const value = phase ? format.reading({ value: phase.state === 'on', unit: '' }) : onText(days[index], format);
    return { value, range: phase ? phaseText(phase, format, t) : t('analysis.per.day') };
  }
  const digits = precision ?? 2;
  const value = format.reading({ value: mean, unit, precision: digits });
  if (line.resolution === 'raw' || kind !== 'line') return { value, range: null };
  return { value, range: `${format.number(at(line.low), digits)} – ${format.number(at(line.high), digits)}` };
}

const onText = (day: OnTimes['days'][number] | undefined, format: Format) =>
  day ? format.hours(day.sum.on) : missingValue;

/** For how long a switch had been in a state, and since when. */
function phaseText({ from, to }: Phase, format: Format, t: TFunction): string {
  const since = formatDateTime(from, format.language);
  return t('analysis.onTimes.lasting', { duration: format.hours(to - from), since });
}

interface ValueBoxProps {
  at: number;
  marks: readonly Mark[];
  axis: Axis;
  /** Where the box stands beside the pointer; null: below the chart. */
  style: { left: number } | { right: string } | null;
  strokeOf: (column: Column) => readonly number[] | undefined;
}

/** The values at the crosshair. The chart's surface announces them to screen readers. */
export function ValueBox({ at, marks, axis, style, strokeOf }: ValueBoxProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={css.box} style={style ?? undefined} aria-hidden="true" data-values="">
      <p className={css.time}>{placeText(at, axis, format, resolutionOf(marks))}</p>
      <dl className={css.values}>
        {marks.map((mark) => {
          const { value, range } = valueTexts(mark, format, t);
          return (
            <div key={mark.column.key}>
              <dt>
                <Swatch column={mark.column} stroke={strokeOf(mark.column)} />
                {fullName(mark.column, t)}
              </dt>
              <dd>
                <strong>{value}</strong>
                {range ? <span>{range}</span> : null}
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

/** A piece of a line, as the chart draws it. */
export function Swatch({ column, stroke }: { column: Column; stroke: readonly number[] | undefined }) {
  return (
    <svg className={css.swatch} width="18" height="8" aria-hidden="true">
      <line
        x1="1"
        x2="17"
        y1="4"
        y2="4"
        stroke={colorOf(column)}
        strokeWidth={column.kind === 'sum' ? 6 : 2}
        strokeOpacity={column.compared ? 0.5 : 1}
        strokeDasharray={stroke?.join(' ')}
      />
    </svg>
  );
}

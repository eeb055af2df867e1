import { useTranslation } from 'react-i18next';
import { comparators } from '@/lib/alarm/comparator';
import { useFormat } from '@/lib/format/format';
import {
  candidateStarts,
  type LabelRequest,
  type LineExtent,
  lineExtentOf,
  type PlotPoint,
  positionLabels,
  rowHeight,
  verticalExtent,
} from '@/ui/chart/labelPositions';
import { type Measure, truncateToWidth } from '@/ui/chart/measure';
import { type Box, type Geometry, nameRoom, xOf, yOf } from './geometry';
import css from './NoticeChart.module.css';
import type { Panel, Trace } from './panels';
import type { Span } from './readings';

interface PanelMarksProps {
  panel: Panel;
  box: Box;
  geometry: Geometry;
  measure: Measure;
  span: Span;
  /** The horizontal positions of the vertical lines (begin and end). */
  upright: readonly number[];
  /**
   * Whether each line's name stands at its end; in a narrow plot the names stand above the chart.
   */
  names: boolean;
}

/**
 * The marks of one plot: its unit and steps, the labels of limits and attributes, and the readings
 * that triggered the alarm.
 */
export function PanelMarks({ panel, box, geometry, measure, span, upright, names }: PanelMarksProps) {
  const format = useFormat();
  const { scale, traces, labels, unit } = panel;
  const right = geometry.left + geometry.width;
  const y = (value: number) => yOf(value, scale, box);
  const bold = (words: string) => measure(words, 'name');
  const lines = useLimits(panel, geometry.width - 8, bold).map((line) => ({ ...line, at: y(line.value) }));
  const spots = (list: Trace['points']) =>
    list.map(([time, value]): PlotPoint => [xOf(time, span, geometry), y(value)]);
  const trails = traces.map(({ points, marks }) =>
    lineExtentOf(spots(points), geometry, { stepped: labels !== undefined, marks: spots(marks) }),
  );
  const named = names ? traces : [];
  const places = positionLabels(
    [
      ...lines.map(({ at, words, down }) => limitLabelRequest(at, bold(words), down, right, geometry)),
      ...named.map((trace, index) => nameLabelRequest(trace, bold(trace.name), trails[index], y, span, geometry)),
    ],
    { trails, across: lines.map(({ at }) => at), upright },
    box,
  );
  const at = (index: number) => ({ x: places[index]?.x ?? 0, y: (places[index]?.y ?? 0) + 4 });
  return (
    <g>
      {unit ? (
        // A unit that is wider than the numbers below it starts at the chart's left edge.
        <text
          className={css.unit}
          x={Math.max(geometry.left, bold(format.unit(unit)))}
          y={box.top - 11}
          textAnchor="end"
        >
          {format.unit(unit)}
        </text>
      ) : null}
      {labels?.map((label, index) => (
        <text key={label} className={css.step} x={geometry.left - 10} y={y(index) + 4} textAnchor="end">
          {truncateToWidth(label, nameRoom(geometry), measure)}
        </text>
      ))}
      {lines.map(({ key, at: height, clears }) => (
        <line
          key={key}
          className={clears ? css.recovery : css.limit}
          x1={geometry.left}
          x2={right}
          y1={height}
          y2={height}
        />
      ))}
      {traces.flatMap(({ sign, marks }) =>
        marks.map(([time, height]) => (
          <circle key={`${sign} ${time}`} className={css.sample} cx={xOf(time, span, geometry)} cy={y(height)} r={4} />
        )),
      )}
      {lines.map(({ key, words, clears }, index) => {
        const { x, y: middle } = at(index);
        const tone = clears ? css.green : css.red;
        return (
          <text key={key} className={`${css.label} ${tone}`} x={x + bold(words)} y={middle} textAnchor="end">
            {words}
          </text>
        );
      })}
      {named.map(({ sign, name, color }, index) => (
        <text key={sign} className={css.label} style={{ fill: `var(--c${color + 1})` }} {...at(lines.length + index)}>
          {name}
        </text>
      ))}
    </g>
  );
}

/**
 * The horizontal lines with their labels: the limit of the alarm, and the value at which an open
 * alarm ends.
 */
function useLimits({ limits, traces, unit }: Panel, room: number, measure: (words: string) => number) {
  const { t } = useTranslation();
  const format = useFormat();
  return limits.flatMap(({ sign, value, operator, side, recovery }) => {
    const precision = traces.find((trace) => trace.sign === sign)?.precision;
    // If the label is too wide, it omits the unit, which also stands above the plot.
    const worded = (words: (text: string) => string, of: number) => {
      const whole = words(format.reading({ value: of, unit, precision }));
      if (measure(whole) <= room) return whole;
      return truncateToWidth(words(format.reading({ value: of, unit: '', precision })), room, measure);
    };
    const key = `${sign} ${operator} ${value}`;
    const { words: name, symbol } = comparators[operator];
    // The label stands on the side without alarm.
    const down = side !== 'below';
    const limit = {
      key,
      value,
      words: worded((text) => t(`inform.chart.${name}`, { symbol, value: text }), value),
      down,
    };
    if (recovery === null) return [{ ...limit, clears: false }];
    const clears = {
      key: `${key} clears`,
      value: recovery,
      words: worded((text) => t('inform.chart.clears', { value: text }), recovery),
    };
    return [
      { ...limit, clears: false },
      { ...clears, down, clears: true },
    ];
  });
}

/**
 * How many rows a label may be away from its line: its colour still shows which line it belongs to.
 */
const maxRows = 4;

/** Heights on alternating sides of a line, with growing distance. */
function alternatingHeights(one: number, other: number): number[] {
  const step = one < other ? -rowHeight : rowHeight;
  return Array.from({ length: maxRows }, (_, row) => [one + row * step, other - row * step]).flat();
}

/** A limit's label touches its line, at the right end if possible. */
function limitLabelRequest(at: number, width: number, down: boolean, right: number, geometry: Geometry): LabelRequest {
  const heights = down ? alternatingHeights(at + 11, at - 9) : alternatingHeights(at - 9, at + 11);
  return { width, starts: candidateStarts(right - 4, width, geometry), heights: () => heights };
}

/**
 * A name stands beside the end of its line if there is room, otherwise above or below it near its
 * end.
 */
function nameLabelRequest(
  { points }: Trace,
  width: number,
  trail: LineExtent | undefined,
  y: (value: number) => number,
  span: Span,
  geometry: Geometry,
): LabelRequest {
  const right = geometry.left + geometry.width - 4;
  const last = points.at(-1);
  const end = last ? xOf(last[0], span, geometry) : right;
  const fits = last && end + 8 + width <= right;
  const starts = candidateStarts(Math.min(right, Math.max(end, geometry.left + 4 + width)), width, geometry);
  return {
    width,
    starts: fits ? [end + 8, ...starts] : starts,
    heights: (from, to) => {
      if (fits && from === end + 8) return alternatingHeights(y(last[1]), y(last[1]) - rowHeight);
      const extent = trail && verticalExtent(trail, from, to);
      return extent ? alternatingHeights(extent.top - 10, extent.bottom + 11) : [];
    },
  };
}

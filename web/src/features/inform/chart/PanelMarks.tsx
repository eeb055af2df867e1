import { useTranslation } from 'react-i18next';
import { operatorNames } from '@/lib/alarm/sentence';
import { useFormat } from '@/lib/format/format';
import { type Box, type Geometry, xOf, yOf } from './geometry';
import css from './NoticeChart.module.css';
import type { Panel, Span, Trace } from './panels';
import { placed, reach, rowHeight, startsFrom, type Trail, trailOf, type Wanted, widthOf } from './places';

interface PanelMarksProps {
  panel: Panel;
  box: Box;
  geometry: Geometry;
  span: Span;
  /** Where the lines of begin and end stand. */
  upright: readonly number[];
  /** Each line's name at its end; where the plot is narrow the names stand above the chart. */
  names: boolean;
}

/** Of one plot: its unit and steps, the limits by name, the attributes by name, the readings that triggered the alarm. */
export function PanelMarks({ panel, box, geometry, span, upright, names }: PanelMarksProps) {
  const format = useFormat();
  const { scale, traces, labels, unit } = panel;
  const right = geometry.left + geometry.width;
  const y = (value: number) => yOf(value, scale, box);
  const lines = useLimits(panel).map((line) => ({ ...line, at: y(line.value) }));
  const trails = traces.map((trace) => trailOf(trace, panel, box, geometry, span));
  const named = names ? traces : [];
  const places = placed(
    [
      ...lines.map(({ at, words, down }) => limitWanted(at, words, down, right, geometry)),
      ...named.map((trace, index) => nameWanted(trace, trails[index], y, span, geometry)),
    ],
    { trails, across: lines.map(({ at }) => at), upright },
    box,
  );
  const at = (index: number) => ({ x: places[index]?.x ?? 0, y: (places[index]?.y ?? 0) + 4 });
  return (
    <g>
      {unit ? (
        <text className={css.unit} x={geometry.left} y={box.top - 8} textAnchor="end">
          {format.unit(unit)}
        </text>
      ) : null}
      {labels?.map((label, index) => (
        <text key={label} className={css.step} x={geometry.left - 10} y={y(index) + 4} textAnchor="end">
          {label.length > 12 ? `${label.slice(0, 11)}…` : label}
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
          <text key={key} className={`${css.label} ${tone}`} x={x + widthOf(words)} y={middle} textAnchor="end">
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

/** The lines that are drawn across, in words: where it is an alarm, and where an open one ends. */
function useLimits({ limits, traces, unit }: Panel) {
  const { t } = useTranslation();
  const format = useFormat();
  return limits.flatMap(({ sign, value, operator, side, recovery }) => {
    const precision = traces.find((trace) => trace.sign === sign)?.precision;
    const text = (of: number) => format.reading({ value: of, unit, precision });
    const key = `${sign} ${operator} ${value}`;
    // The words stand on the side where it is no alarm.
    const down = side !== 'below';
    const limit = { key, value, words: t(`inform.chart.${operatorNames[operator]}`, { value: text(value) }), down };
    if (recovery === null) return [{ ...limit, clears: false }];
    const clears = {
      key: `${key} clears`,
      value: recovery,
      words: t('inform.chart.clears', { value: text(recovery) }),
    };
    return [
      { ...limit, clears: false },
      { ...clears, down, clears: true },
    ];
  });
}

/** So many rows may words stand away from their line: by their colour they are still known to belong to it. */
const mostRows = 4;

/** The heights on either side of a line, further and further away. */
function outward(one: number, other: number): number[] {
  const step = one < other ? -rowHeight : rowHeight;
  return Array.from({ length: mostRows }, (_, row) => [one + row * step, other - row * step]).flat();
}

/** A limit's words touch its line, at the right if they can. */
function limitWanted(at: number, words: string, down: boolean, right: number, geometry: Geometry): Wanted {
  const width = widthOf(words);
  const heights = down ? outward(at + 11, at - 9) : outward(at - 9, at + 11);
  return { width, starts: startsFrom(right - 4, width, geometry), heights: () => heights };
}

/** A name stands beside the end of its line where there is room, else above or below it, near its end. */
function nameWanted(
  { name, points }: Trace,
  trail: Trail | undefined,
  y: (value: number) => number,
  span: Span,
  geometry: Geometry,
): Wanted {
  const width = widthOf(name);
  const right = geometry.left + geometry.width - 4;
  const last = points.at(-1);
  const end = last ? xOf(last[0], span, geometry) : right;
  const fits = last && end + 8 + width <= right;
  const starts = startsFrom(Math.min(right, Math.max(end, geometry.left + 4 + width)), width, geometry);
  return {
    width,
    starts: fits ? [end + 8, ...starts] : starts,
    heights: (from, to) => {
      if (fits && from === end + 8) return outward(y(last[1]), y(last[1]) - rowHeight);
      const its = trail && reach(trail, from, to);
      return its ? outward(its.top - 10, its.bottom + 11) : [];
    },
  };
}

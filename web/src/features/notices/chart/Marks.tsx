import { useTranslation } from 'react-i18next';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import type { Measure } from '@/ui/chart/measure';
import { type Geometry, xOf } from './geometry';
import css from './NoticeChart.module.css';
import { PanelMarks } from './PanelMarks';
import type { Panel } from './panels';
import type { Span } from './readings';

interface MarksProps {
  panels: readonly Panel[];
  geometry: Geometry;
  measure: Measure;
  span: Span;
  start: number;
  /** Undefined while the alarm is open. */
  end: number | undefined;
  until: number;
  /** It marks the time in which the device was silent. */
  silent: boolean;
}

const bottomOf = ({ boxes }: Geometry) => {
  const last = boxes.at(-1);
  return last ? last.top + last.height : 0;
};

/** Below the lines: a tint for the duration of the alarm. */
export function Tint({ geometry, span, start, end, until }: MarksProps) {
  const from = xOf(start, span, geometry);
  const to = xOf(Math.min(end ?? until, span.to), span, geometry);
  return (
    <svg className={css.layer} height={geometry.height} aria-hidden="true">
      <rect
        className={css.tint}
        x={from}
        y={8}
        width={Math.max(0, to - from)}
        height={Math.max(0, bottomOf(geometry) - 8)}
      />
    </svg>
  );
}

/** Above the lines: the marks of the beginning and the end, and those of each panel. */
export function Marks({ narrow, ...marks }: MarksProps & { narrow: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useNow(60_000);
  const { panels, geometry, measure, span, start, end, silent } = marks;
  const began = xOf(start, span, geometry);
  const ended = end === undefined || end > span.to ? undefined : xOf(end, span, geometry);
  const timeOf = (time: number) => format.moment(time, now, 'seconds');
  const beginning = narrow
    ? t(silent ? 'inform.chart.silent' : 'inform.chart.began')
    : t(silent ? 'inform.chart.silentSince' : 'inform.chart.beganAt', { time: timeOf(start) });
  const ending =
    narrow || ended === undefined || end === undefined ? '' : t('inform.chart.endedAt', { time: timeOf(end) });
  const right = geometry.left + geometry.width;
  const first = beside(began, measure(beginning, 'name'), right);
  const second = beside(ended ?? right, measure(ending, 'name'), right);
  // Both are labelled only if the labels do not touch.
  const bothNamed = ending !== '' && (second.from > first.to + 8 || first.from > second.to + 8);
  return (
    <svg className={css.layer} height={geometry.height} aria-hidden="true">
      <line className={css.began} x1={began} x2={began} y1={10} y2={bottomOf(geometry)} />
      <circle className={css.dot} cx={began} cy={12} r={3.5} />
      <text className={`${css.label} ${css.red}`} x={first.from} y={16}>
        {beginning}
      </text>
      {ended === undefined ? null : (
        <line className={css.ended} x1={ended} x2={ended} y1={10} y2={bottomOf(geometry)} />
      )}
      {bothNamed ? (
        <text className={`${css.label} ${css.quiet}`} x={second.from} y={16}>
          {ending}
        </text>
      ) : null}
      {panels.map((panel, index) => {
        const box = geometry.boxes[index];
        const upright = ended === undefined ? [began] : [began, ended];
        return box ? (
          <PanelMarks
            key={panel.traces[0]?.sign}
            panel={panel}
            box={box}
            geometry={geometry}
            measure={measure}
            span={span}
            upright={upright}
            names={!narrow}
          />
        ) : null;
      })}
    </svg>
  );
}

/**
 * The horizontal extent of a text after a vertical line, or before it if there is no room after it.
 */
function beside(x: number, width: number, right: number): { from: number; to: number } {
  const from = x + 8 + width <= right ? x + 8 : Math.max(0, x - 8 - width);
  return { from, to: from + width };
}

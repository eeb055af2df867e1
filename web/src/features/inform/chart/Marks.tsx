import { useTranslation } from 'react-i18next';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { momentText } from '../detail/words';
import { type Geometry, xOf } from './geometry';
import css from './NoticeChart.module.css';
import { PanelMarks } from './PanelMarks';
import type { Panel, Span } from './panels';

interface MarksProps {
  panels: readonly Panel[];
  geometry: Geometry;
  span: Span;
  start: number;
  /** Absent while the alarm is open. */
  end: number | undefined;
  until: number;
}

const bottomOf = ({ boxes }: Geometry) => {
  const last = boxes.at(-1);
  return last ? last.top + last.height : 0;
};

/** Under the lines: from when to when it was an alarm. */
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

/** Over the lines: begin and end, the limits by name, the attributes by name, the readings that triggered the alarm. */
export function Marks({ narrow, ...marks }: MarksProps & { narrow: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useNow(60_000);
  const { panels, geometry, span, start, end } = marks;
  const right = geometry.left + geometry.width;
  const began = xOf(start, span, geometry);
  const ended = end === undefined || end > span.to ? undefined : xOf(end, span, geometry);
  const late = began > geometry.left + geometry.width * 0.62;
  // Both have room only where they are far enough from each other.
  const bothNamed = ended !== undefined && ended - began > (narrow ? 90 : 210);
  return (
    <svg className={css.layer} height={geometry.height} aria-hidden="true">
      <line className={css.began} x1={began} x2={began} y1={10} y2={bottomOf(geometry)} />
      <circle className={css.dot} cx={began} cy={12} r={3.5} />
      <text
        className={`${css.label} ${css.red}`}
        x={began + (late ? -8 : 8)}
        y={16}
        textAnchor={late ? 'end' : 'start'}
      >
        {narrow ? t('inform.chart.began') : t('inform.chart.beganAt', { time: momentText(start, now, format) })}
      </text>
      {ended === undefined ? null : (
        <>
          <line className={css.ended} x1={ended} x2={ended} y1={10} y2={bottomOf(geometry)} />
          {bothNamed && end !== undefined && !narrow ? (
            <text
              className={`${css.label} ${css.quiet}`}
              x={Math.min(ended + 6, right)}
              y={16}
              textAnchor={ended + 100 > right ? 'end' : 'start'}
            >
              {t('inform.chart.endedAt', { time: momentText(end, now, format) })}
            </text>
          ) : null}
        </>
      )}
      {panels.map((panel, index) => {
        const box = geometry.boxes[index];
        const upright = ended === undefined ? [began] : [began, ended];
        return box ? (
          <PanelMarks
            key={panel.traces[0]?.sign}
            panel={panel}
            box={box}
            geometry={geometry}
            span={span}
            upright={upright}
            names={!narrow}
          />
        ) : null;
      })}
    </svg>
  );
}

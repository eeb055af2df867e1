import { useTranslation } from 'react-i18next';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { momentText } from '../detail/words';
import { apart, type Box, type Geometry, xOf, yOf } from './geometry';
import css from './NoticeChart.module.css';
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

const labelHeight = 15;
/** About so wide is a letter of a label. */
const letterWidth = 7;

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
      {panels.map((panel, index) => {
        const box = geometry.boxes[index];
        return box ? <PanelMarks key={panel.traces[0]?.sign} panel={panel} box={box} {...marks} /> : null;
      })}
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
    </svg>
  );
}

function PanelMarks({ panel, box, geometry, span }: MarksProps & { panel: Panel; box: Box }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { scale, traces, limits, labels, unit } = panel;
  const right = geometry.left + geometry.width;
  const y = (value: number) => yOf(value, scale, box);
  const value = (of: number, sign: string) => {
    const precision = traces.find((trace) => trace.sign === sign)?.precision;
    return format.reading({ value: of, unit, precision });
  };
  const lines = limits.flatMap(({ sign, value: limit, side, recovery }) => [
    {
      key: `${sign} ${limit} ${side}`,
      at: y(limit),
      tone: css.limit,
      text: css.red,
      words: t(`inform.chart.${side ?? 'at'}`, { value: value(limit, sign) }),
      // The name stands on the side where it is no alarm.
      down: side !== 'below',
    },
    ...(recovery === null
      ? []
      : [
          {
            key: `${sign} ${recovery} clears`,
            at: y(recovery),
            tone: css.recovery,
            text: css.green,
            words: t('inform.chart.clears', { value: value(recovery, sign) }),
            down: side !== 'below',
          },
        ]),
  ]);
  const names = traces.map(({ sign, name, color, points }) => {
    const [time, height] = points.at(-1) ?? [span.to, (scale.min + scale.max) / 2];
    const x = xOf(time, span, geometry) + 8;
    // Beside the end of its line where there is room, else above it.
    const beside = x + name.length * letterWidth < right;
    return { key: sign, name, color, at: y(height) - (beside ? 0 : 12), x: beside ? x : right - 4, beside };
  });
  const places = apart(
    [...lines.map(({ at, down }) => at + (down ? 11 : -9)), ...names.map(({ at }) => at)],
    labelHeight,
    box,
  );
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
      {lines.map(({ key, at, tone }) => (
        <line key={key} className={tone} x1={geometry.left} x2={right} y1={at} y2={at} />
      ))}
      {traces.flatMap(({ sign, marks }) =>
        marks.map(([time, height]) => (
          <circle key={`${sign} ${time}`} className={css.sample} cx={xOf(time, span, geometry)} cy={y(height)} r={4} />
        )),
      )}
      {lines.map(({ key, text, words }, index) => (
        <text key={key} className={`${css.label} ${text}`} x={right - 4} y={(places[index] ?? 0) + 4} textAnchor="end">
          {words}
        </text>
      ))}
      {names.map(({ key, name, color, x, beside }, index) => (
        <text
          key={key}
          className={css.label}
          style={{ fill: `var(--c${color + 1})` }}
          x={x}
          y={(places[lines.length + index] ?? 0) + 4}
          textAnchor={beside ? 'start' : 'end'}
        >
          {name}
        </text>
      ))}
    </g>
  );
}

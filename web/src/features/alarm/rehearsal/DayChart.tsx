import { type CSSProperties, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { comparisonHolds, sideOf } from '@/lib/alarm/comparator';
import type { Rehearsal } from '@/lib/alarm/types';
import { useFormat } from '@/lib/format/format';
import { useMeasure } from '@/ui/chart/measure';
import css from './DayChart.module.css';
import { type Limit, LimitLine } from './LimitLine';
import { chart, labelGap, labelledDays, plotLeft, type Scale, scaleOf } from './scale';
import { alarmDays } from './summary';

interface DayChartProps {
  rehearsal: Rehearsal;
  limit: Limit;
}

/**
 * Each day as a bar from its lowest to its highest value, with the part beyond the limit in red,
 * and the limit as a line that can be dragged.
 */
export function DayChart({ rehearsal, limit }: DayChartProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const measure = useMeasure();
  const place = useRef<HTMLDivElement>(null);
  // The scale does not change while the limit is dragged.
  const [frozenScale, setFrozenScale] = useState<Scale>();
  const { days } = rehearsal;
  const scale = frozenScale ?? scaleOf(days, limit.value, limit.leastSpan);
  const marked = alarmDays(rehearsal);
  const tickText = (tick: number) => format.number(Number(tick.toPrecision(12)));
  const left = plotLeft(scale.ticks.map(tickText), measure);
  const slot = (chart.right - left) / days.length;
  const width = Math.min(7, slot * 0.6);
  const x = (i: number) => left + slot * (i + 0.5);
  const dates = days.map(({ day }) => format.day(day + 12 * 3_600_000, rehearsal.endTime));
  const value = limit.value === undefined ? '…' : format.reading({ value: limit.value, unit: limit.unit });
  return (
    <figure className={css.figure}>
      <figcaption className={css.caption} style={{ '--left': left / chart.width } as CSSProperties}>
        <span className={css.unit}>{format.unit(limit.unit)}</span>
        <span>{t('rule.rehearsal.days')}</span>
      </figcaption>
      <div ref={place} className={css.place}>
        <svg
          className={css.chart}
          viewBox={`0 0 ${chart.width} ${chart.height}`}
          role="img"
          aria-label={t('rule.rehearsal.chart', { name: limit.name, n: days.length, value })}
        >
          {scale.ticks.map((tick) => (
            <g key={tick}>
              <line className={css.grid} x1={left} x2={chart.right} y1={scale.y(tick)} y2={scale.y(tick)} />
              <text className={css.axis} x={left - labelGap} y={scale.y(tick) + 4} textAnchor="end">
                {tickText(tick)}
              </text>
            </g>
          ))}
          {days.map(({ day, min, max }, i) => (
            <g key={day}>
              <Bar {...{ x: x(i), width, scale, min, max, marked: marked.has(i) }} limit={limit} />
              {marked.has(i) ? <path className={css.mark} d={`M${x(i) - 4} ${chart.bottom + 11}h8l-4 -6z`} /> : null}
            </g>
          ))}
          {labelledDays(dates, left, measure).map((i) => (
            <text key={i} className={css.axis} x={x(i)} y={chart.bottom + 26} textAnchor={i === 0 ? 'start' : 'middle'}>
              {dates[i]}
            </text>
          ))}
        </svg>
        {limit.value === undefined ? null : (
          <LimitLine
            place={place}
            limit={{ ...limit, value: limit.value }}
            scale={scale}
            left={left}
            onHold={(hold) => setFrozenScale(hold ? scale : undefined)}
          />
        )}
      </div>
    </figure>
  );
}

interface BarProps {
  x: number;
  width: number;
  scale: Scale;
  min: number;
  max: number;
  marked: boolean;
  limit: Limit;
}

function Bar({ x, width, scale, min, max, marked, limit: { operator, value: limit, precision } }: BarProps) {
  const inside = (value: number) => Math.min(scale.high, Math.max(scale.low, value));
  const [top, bottom] = [scale.y(inside(max)), scale.y(inside(min))];
  const crosses = limit !== undefined && [min, max].some((value) => comparisonHolds(operator, value, limit, precision));
  const line = limit === undefined ? top : Math.min(bottom, Math.max(top, scale.y(limit)));
  const side = sideOf(operator);
  const [from, to] = side === 'below' ? [line, bottom] : [top, line];
  const red = crosses && side !== null;
  return (
    <>
      <rect
        className={marked ? css.alarm : css.day}
        x={x - width / 2}
        y={top}
        width={width}
        height={Math.max(2, bottom - top)}
        rx={width / 2}
      />
      {red ? (
        <rect
          className={css.beyond}
          x={x - width / 2}
          y={from}
          width={width}
          height={Math.max(2, to - from)}
          rx={Math.min(width, to - from) / 2}
          data-beyond=""
        />
      ) : null}
    </>
  );
}

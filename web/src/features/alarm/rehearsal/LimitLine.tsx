import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '@/lib/alarm/comparator';
import { useFormat } from '@/lib/format/format';
import css from './DayChart.module.css';
import { chart, dragStep, type Scale, snapToStep } from './scale';

export interface Limit {
  name: string;
  unit: string;
  precision: number | undefined;
  /** The chart spans at least this much; undefined: no least span. */
  leastSpan?: number | undefined;
  operator: Operator;
  /** Undefined while the typed text is not a number. */
  value: number | undefined;
  onChange: (value: number) => void;
}

interface LimitLineProps {
  /** The element that the chart fills. */
  place: RefObject<HTMLElement | null>;
  limit: Limit & { value: number };
  scale: Scale;
  /** The left edge of the plot, in the chart's units. */
  left: number;
  /** Called with true when a pointer grabs the line and with false when it releases it. */
  onHold: (hold: boolean) => void;
}

/** The dashed line of the limit: a slider that a pointer drags and the arrow keys move. */
export function LimitLine({ place, limit, scale, left, onHold }: LimitLineProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [dragging, setDragging] = useState(false);
  const step = dragStep(scale, limit.precision);
  const y = scale.y(limit.value);
  const text = format.reading({ value: limit.value, unit: limit.unit });

  const move = (value: number) => {
    const next = snapToStep(value, step, scale);
    if (next !== limit.value) limit.onChange(next);
  };
  const toPointer = (event: PointerEvent) => {
    const box = place.current?.getBoundingClientRect();
    if (box && box.height > 0) move(scale.at(((event.clientY - box.top) / box.height) * chart.height));
  };
  const hold = (on: boolean) => {
    setDragging(on);
    onHold(on);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowUp: limit.value + step,
      ArrowRight: limit.value + step,
      ArrowDown: limit.value - step,
      ArrowLeft: limit.value - step,
      PageUp: limit.value + 10 * step,
      PageDown: limit.value - 10 * step,
      Home: scale.low,
      End: scale.high,
    };
    const to = moves[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div
      className={css.limit}
      style={{
        top: `${(y / chart.height) * 100}%`,
        left: `${(left / chart.width) * 100}%`,
        right: `${100 - (chart.right / chart.width) * 100}%`,
      }}
      role="slider"
      tabIndex={0}
      aria-label={t('rule.rehearsal.limit', { name: limit.name })}
      aria-orientation="vertical"
      aria-valuemin={scale.low}
      aria-valuemax={scale.high}
      aria-valuenow={limit.value}
      aria-valuetext={text}
      title={t('rule.rehearsal.drag')}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture?.(event.pointerId);
        hold(true);
      }}
      onPointerMove={(event) => {
        if (dragging) toPointer(event);
      }}
      onPointerUp={() => hold(false)}
      onPointerCancel={() => hold(false)}
    >
      <span className={css.line} />
      <span className={css.handle} />
      <span className={`${css.limitText} ${y < chart.top + 8 ? css.under : ''}`}>{text}</span>
    </div>
  );
}

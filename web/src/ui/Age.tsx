import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import { useCallback, useMemo } from 'react';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import css from './Age.module.css';

interface AgeProps {
  /** Epoch milliseconds. */
  time: number;
  /** `alone`: 8 s. `within`: 8 s ago, in a sentence. */
  form?: 'alone' | 'within';
  /** Older than expected: shown by a clock and its colour. */
  stale?: boolean;
  /** The meaning of stale, for screen readers. */
  staleLabel?: string;
}

/** An age that updates by itself; the absolute time with its zone on hover. */
export function Age({ time, form = 'alone', stale = false, staleLabel }: AgeProps) {
  const format = useFormat();
  const text = useClock(
    useCallback(
      (now: number) => (form === 'alone' ? format.age(time, now) : format.ago(time, now)),
      [form, format, time],
    ),
  );
  const absolute = useMemo(() => format.absolute(time), [format, time]);
  return (
    <time className={`${css.age} ${stale ? css.stale : ''}`} dateTime={new Date(time).toISOString()} title={absolute}>
      {stale ? <ClockCircleOutlined aria-hidden="true" className={css.clock} /> : null}
      {text}
      {stale && staleLabel ? <span className="visually-hidden"> {staleLabel}</span> : null}
    </time>
  );
}

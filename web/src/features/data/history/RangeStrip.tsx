import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatDay, formatTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { useMeasure } from '@/ui/chart/measure';
import type { Model } from './model';
import css from './RangeStrip.module.css';
import type { Span } from './range';
import { midnights, stripHeight, stripPath, stripWidth } from './strip';
import { useSize } from './useSize';
import { clampToRange, moveEnd } from './window';

interface RangeStripProps {
  model: Model;
  range: Span;
  window: Span;
  onWindow: (window: Span) => void;
}

/** The gap between two days' names. */
const labelGap = 18;

/** Keeps a name within the strip. */
const inside = (left: string, half: number) => `clamp(${half}px, ${left}, calc(100% - ${half}px))`;

type Part = 'from' | 'to' | 'all';

/**
 * The whole range with the shown window over it: the window and its ends can be dragged; keys move
 * the ends.
 */
export function RangeStrip({ model, range, window, onWindow }: RangeStripProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const measure = useMeasure();
  const [place, { width }] = useSize();
  const strip = useRef<HTMLDivElement>(null);
  const dragState = useRef<{ part: Part; time: number; window: Span } | null>(null);
  const trace =
    model.panels
      .flatMap(({ traces }) => traces)
      .find(({ compared, attribute }) => !compared && attribute.kind === 'line') ??
    model.panels[0]?.traces.find(({ compared }) => !compared);
  const path = useMemo(() => (trace ? stripPath(trace.bars ?? trace.line, trace.gaps, range) : ''), [trace, range]);
  const share = (time: number) => (time - range.from) / (range.to - range.from);
  const percent = (time: number) => `${(share(time) * 100).toFixed(3)}%`;
  const dayText = (time: number) => formatDay(time, time, format.language);
  const widest = Math.max(...[range.from, range.to].map((time) => measure(dayText(time))));
  const ticks = midnights(range, Math.max(1, Math.floor(width / (widest + labelGap))));

  const timeOf = (event: PointerEvent) => {
    const box = strip.current?.getBoundingClientRect();
    if (!box || box.width === 0) return range.from;
    return range.from + ((event.clientX - box.left) / box.width) * (range.to - range.from);
  };
  const grab = (part: Part) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    event.currentTarget.setPointerCapture?.(event.pointerId);
    dragState.current = { part, time: timeOf(event), window };
  };
  const drag = (event: PointerEvent) => {
    const grip = dragState.current;
    if (!grip) return;
    const by = timeOf(event) - grip.time;
    if (grip.part === 'all') onWindow(clampToRange({ from: grip.window.from + by, to: grip.window.to + by }, range));
    else onWindow(moveEnd(grip.window, range, grip.part, grip.window[grip.part] + by));
  };
  const release = () => {
    dragState.current = null;
  };
  // A press beside the window moves it there.
  const jump = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const half = (window.to - window.from) / 2;
    const time = timeOf(event);
    onWindow(clampToRange({ from: time - half, to: time + half }, range));
  };
  const keys = (end: 'from' | 'to') => (event: KeyboardEvent) => {
    const step = (range.to - range.from) / 100;
    const moves: Record<string, number> = {
      ArrowLeft: -step,
      ArrowDown: -step,
      ArrowRight: step,
      ArrowUp: step,
      PageDown: -10 * step,
      PageUp: 10 * step,
      Home: range.from - window[end],
      End: range.to - window[end],
    };
    const by = moves[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onWindow(moveEnd(window, range, end, window[end] + by));
  };
  const handle = (end: 'from' | 'to') => (
    <span
      role="slider"
      tabIndex={0}
      className={css.handle}
      style={{ left: percent(window[end]) }}
      aria-label={t(end === 'from' ? 'history.windowFrom' : 'history.windowTo')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share(window[end]) * 100)}
      aria-valuetext={formatDateTime(window[end], format.language)}
      onKeyDown={keys(end)}
      onPointerDown={grab(end)}
      onPointerMove={drag}
      onPointerUp={release}
      onPointerCancel={release}
    />
  );
  return (
    <div ref={place} className={css.place}>
      <div ref={strip} className={css.strip} onPointerDown={jump}>
        <svg
          className={css.line}
          viewBox={`0 0 ${stripWidth} ${stripHeight}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={path} />
        </svg>
        <div
          className={css.window}
          style={{
            left: percent(window.from),
            width: `${((share(window.to) - share(window.from)) * 100).toFixed(3)}%`,
          }}
          onPointerDown={grab('all')}
          onPointerMove={drag}
          onPointerUp={release}
          onPointerCancel={release}
        />
        {handle('from')}
        {handle('to')}
      </div>
      <div className={css.labels} aria-hidden="true">
        {ticks.length === 0 ? (
          <>
            <span style={{ left: 0, translate: 'none' }}>{formatTime(range.from)}</span>
            <span style={{ left: '100%', translate: '-100%' }}>{formatTime(range.to)}</span>
          </>
        ) : (
          ticks.map((time) => (
            <span key={time} style={{ left: inside(percent(time), measure(dayText(time)) / 2) }}>
              {dayText(time)}
            </span>
          ))
        )}
      </div>
    </div>
  );
}

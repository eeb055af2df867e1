import { type RefObject, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { useKeys } from '@/lib/hooks/useKeys';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { leftRoom, rightRoom } from '@/ui/chart/axes';
import { Chart } from '@/ui/chart/Chart';
import { useMeasure } from '@/ui/chart/measure';
import { timeTicks } from '@/ui/chart/timeTicks';
import { useChartTokens } from '@/ui/chart/tokens';
import { CrosshairLayer } from './CrosshairLayer';
import { crosshairAt, stepReading } from './crosshair';
import { crosshairTime, markText } from './crosshairText';
import { GapLayer } from './GapLayer';
import { layout } from './geometry';
import css from './HistoryChart.module.css';
import { LabelLayer } from './LabelLayer';
import { gutterWidth } from './labels';
import type { Model } from './model';
import { frameOf, optionOf } from './option';
import type { Span } from './range';
import { useGestures } from './useGestures';
import { pan, zoom } from './window';

interface HistoryChartProps {
  model: Model;
  range: Span;
  window: Span;
  /** The size of the chart's element, in pixels. */
  size: { width: number; height: number };
  onWindow: (window: Span) => void;
  onDrawn: () => void;
  onFailed: () => void;
  /** The id of the text that explains the keys to screen readers. */
  hintId: string;
  otherTitle: string | null;
  /** The element that receives the keys. */
  surface: RefObject<HTMLDivElement | null>;
}

/** The chart, its overlays, and the ways to move its window. */
export function HistoryChart({
  model,
  range,
  window,
  size,
  onWindow,
  onDrawn,
  onFailed,
  hintId,
  otherTitle,
  surface,
}: HistoryChartProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const tokens = useChartTokens();
  const isPhone = useMediaQuery(phoneQuery);
  const [pointed, setPointed] = useState<number | null>(null);
  const measure = useMeasure();
  const gutter = useMemo(
    () => (isPhone ? rightRoom : gutterWidth(model.panels, size.width, (words) => measure(words, 'name'))),
    [isPhone, model.panels, size.width, measure],
  );
  const geometry = useMemo(() => {
    const plots = model.panels.map(({ scale, kind }) => ({ scale, numbers: kind === 'numbers' }));
    return layout(model.panels, size, { left: leftRoom(plots, format.number, measure), right: gutter });
  }, [model.panels, size, format, measure, gutter]);
  const ticks = useMemo(
    () => timeTicks({ ...window, ...geometry, chart: size.width }, format.language, measure),
    [window, geometry, size.width, format, measure],
  );

  // The option is built for the window at that time; a moving window is merged into it as a frame.
  const made = useRef({ window, ticks });
  made.current = { window, ticks };
  const option = useMemo(
    () => optionOf(model, geometry, made.current.window, tokens, { write: format.number, ticks: made.current.ticks }),
    [model, geometry, tokens, format],
  );
  const frame = useMemo(() => frameOf(model.panels.length, window, ticks), [model.panels.length, window, ticks]);

  useGestures(surface, { range, window, left: geometry.left, width: geometry.width, onWindow, onPoint: setPointed });
  const crosshair = useMemo(() => {
    if (pointed === null || pointed < window.from || pointed > window.to) return null;
    return crosshairAt(model, pointed, window);
  }, [model, pointed, window]);

  useKeys(surface, (key, far) => {
    const at = crosshair?.time ?? (window.from + window.to) / 2;
    switch (key) {
      case 'ArrowLeft':
      case 'ArrowRight': {
        const direction = key === 'ArrowLeft' ? -1 : 1;
        if (far) onWindow(pan(window, range, direction / 4));
        else setPointed(stepReading(model, at, window, direction));
        return true;
      }
      case 'PageUp':
      case 'PageDown':
        onWindow(pan(window, range, key === 'PageUp' ? -1 : 1));
        return true;
      case 'Home':
        setPointed(stepReading(model, window.from, window, 0));
        return true;
      case 'End':
        setPointed(stepReading(model, window.to, window, 0));
        return true;
      case '+':
      case '=':
        onWindow(zoom(window, range, 0.5, at));
        return true;
      case '-':
      case '_':
        onWindow(zoom(window, range, 2, at));
        return true;
      case '0':
        onWindow(range);
        return true;
      default:
        return false;
    }
  });

  const time = crosshair?.time ?? window.from;
  const spoken = crosshair
    ? [
        crosshairTime(crosshair, format),
        ...crosshair.marks.map(({ trace, value, raw, spread }) => {
          const name = trace.compared && otherTitle ? `${trace.attribute.name} (${otherTitle})` : trace.attribute.name;
          return `${name} ${markText(trace.attribute, { value, raw, spread }, format, t)}`;
        }),
      ].join(', ')
    : `${formatDateTime(window.from, format.language)} – ${formatDateTime(window.to, format.language)}`;

  return (
    <div className={css.place}>
      <GapLayer model={model} geometry={geometry} window={window} brief={isPhone} />
      <div className={css.canvas}>
        <Chart option={option} frame={frame} height={geometry.height} onDrawn={onDrawn} onFailed={onFailed} />
      </div>
      <LabelLayer
        model={model}
        geometry={geometry}
        gutter={gutter}
        window={window}
        names={!isPhone}
        measure={measure}
      />
      {crosshair ? (
        <CrosshairLayer
          crosshair={crosshair}
          model={model}
          geometry={geometry}
          window={window}
          otherTitle={otherTitle}
        />
      ) : null}
      <div
        ref={surface}
        className={css.surface}
        role="slider"
        tabIndex={0}
        aria-label={t('history.crosshair')}
        aria-describedby={hintId}
        aria-valuemin={Math.round(window.from)}
        aria-valuemax={Math.round(window.to)}
        aria-valuenow={Math.round(time)}
        aria-valuetext={spoken}
      />
    </div>
  );
}

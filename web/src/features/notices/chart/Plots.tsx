import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Series } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { Chart } from '@/ui/chart/Chart';
import { useMeasure } from '@/ui/chart/measure';
import { timeTicks } from '@/ui/chart/timeTicks';
import { useChartTokens } from '@/ui/chart/tokens';
import { useWidth } from '@/ui/chart/useWidth';
import type { AlarmDetail, DeviceProperty } from '../queries';
import { layout, textRoomOf } from './geometry';
import { Marks, Tint } from './Marks';
import { Names } from './Names';
import css from './NoticeChart.module.css';
import { optionOf } from './option';
import { type Panel, panelsOf } from './panels';
import { type Span, silentSince } from './readings';

interface PlotsProps {
  detail: AlarmDetail;
  series: Series;
  /** How much the axis of an attribute spans at least. */
  leastSpans: ReadonlyMap<string, number>;
  /** The device's main property. */
  main: DeviceProperty | undefined;
  span: Span;
  /** The time up to which anything can be known: now, or the end of the axis. */
  until: number;
  onFailed: () => void;
}

/** The chart with its overlays. A text describes it to screen readers. */
export function Plots({ detail, series, leastSpans, main, span, until, onFailed }: PlotsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const tokens = useChartTokens();
  const isPhone = useMediaQuery(phoneQuery);
  const measure = useMeasure();
  const [place, width] = useWidth();
  const words = {
    off: t('format.off'),
    on: t('format.on'),
    offline: t('home.state.offline'),
    online: t('home.state.online'),
    presence: t('inform.chart.presence'),
  };
  const panels = panelsOf(detail, series, span, until, words, leastSpans, main);
  const narrow = isPhone || width < 420;
  const geometry = layout(panels, width, textRoomOf(panels, width, measure, format));
  // Memoized by value, so that an equal chart is not drawn again; what changes every second is in
  // the overlay.
  const made = JSON.stringify([panels, geometry, span]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: made represents panels, geometry and span
  const option = useMemo(() => {
    const ticks = timeTicks({ ...span, ...geometry, chart: width }, format.language, measure);
    return optionOf(panels, geometry, span, tokens, { write: format.number, ticks });
  }, [made, width, tokens, format, measure]);
  const { startTime, endTime } = detail.alarmNotice;
  const silent = detail.alarmRules.triggerType === 1;
  const start = silent ? silentSince(detail) : startTime;
  const marks = { panels, geometry, measure, span, start, end: endTime, until, silent };
  return (
    <>
      {narrow ? <Names panels={panels} /> : null}
      <div ref={place} className={css.place} role="img" aria-label={spoken(panels)}>
        <Tint {...marks} />
        <div className={css.canvas}>
          <Chart option={option} height={geometry.height} onFailed={onFailed} />
        </div>
        <Marks {...marks} narrow={narrow} />
      </div>
    </>
  );

  function spoken(of: readonly Panel[]): string {
    const [from, to] = [span.from, span.to].map((time) => format.absolute(time));
    const ranges = of.flatMap(({ traces, labels }) =>
      traces.flatMap(({ name, unit, precision, points }) => {
        if (labels || points.length === 0) return [];
        const values = points.map(([, value]) => value);
        const [low, high] = [Math.min(...values), Math.max(...values)].map((value) =>
          format.reading({ value, unit, precision }),
        );
        return t('inform.chart.range', { name, low, high });
      }),
    );
    const marked = of.some(({ traces }) => traces.some(({ marks: list }) => list.length > 0));
    return [t('inform.chart.label', { from, to }), ...ranges, marked ? t('inform.chart.triggered') : '']
      .filter(Boolean)
      .join(' ');
  }
}

import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmNotice } from '@/lib/alarm/notices';
import { useFormat } from '@/lib/format/format';
import { scaleFor } from '@/ui/chart/scale';
import type { Column } from '../data/column';
import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import { barsPath } from './Bars';
import { rainBars } from './drawnBars';
import { type Box, type Geometry, headHeight, xOf } from './geometry';

interface RainLaneProps {
  rain: Column;
  box: Box;
  geometry: Geometry;
  span: Span;
  clip: string;
}

/** Rain as bars above the plots, in the colour of water. */
export const RainLane = memo(function RainLane({ rain, box, geometry, span, clip }: RainLaneProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { left, plotWidth } = geometry;
  const { period, bars } = useMemo(() => rainBars(rain, span, plotWidth), [rain, span, plotWidth]);
  const inView = bars.filter(({ from, to }) => to >= span.from && from <= span.to);
  const high = Math.max(0, ...inView.map(({ sum }) => sum));
  const top = scaleFor(0, Math.max(high, 1), 1).max;
  const most = format.reading({ value: high, unit: rain.unit, precision: rain.precision });
  const values = { name: rain.name, device: rain.device, period: t(`analysis.per.${period}`) };
  return (
    <g>
      <text className={css.head} x={left} y={box.top - headHeight + 15}>
        {t(high > 0 ? 'analysis.rainHead' : 'analysis.noRain', { ...values, most })}
      </text>
      <line
        className={css.base}
        x1={left}
        x2={left + plotWidth}
        y1={box.top + box.height + 0.5}
        y2={box.top + box.height + 0.5}
      />
      <path
        className={css.rain}
        clipPath={`url(#${clip})`}
        d={barsPath(inView, { place: 0, of: 1 }, geometry, span, (sum) => {
          const height = (sum / top) * box.height;
          return [box.top + box.height - height, height];
        })}
      />
    </g>
  );
});

interface AlarmLaneProps {
  alarms: readonly AlarmNotice[];
  box: Box;
  geometry: Geometry;
  span: Span;
  /** Its name stands at its end. */
  named: boolean;
}

/** How narrow an alarm is drawn at least. */
const minAlarmWidth = 3;

/** When alarms held; the list below the chart has them as links. */
export const AlarmLane = memo(function AlarmLane({ alarms, box, geometry, span, named }: AlarmLaneProps) {
  const { t } = useTranslation();
  const { left, plotWidth } = geometry;
  const inside = (time: number) => Math.min(left + plotWidth, Math.max(left, xOf(time, span, geometry)));
  return (
    <g>
      <rect className={css.lane} x={left} y={box.top} width={plotWidth} height={box.height} rx={2} />
      {named ? (
        <text className={css.head} x={left + plotWidth + 9} y={box.top + box.height}>
          {t('analysis.layers.alarms')}
        </text>
      ) : null}
      {alarms.map(({ id, startTime, endTime, alarmLevel, title }) => {
        const from = inside(startTime);
        const to = inside(endTime ?? span.to);
        const width = Math.max(minAlarmWidth, to - from);
        return (
          <rect
            key={id}
            className={css.alarm}
            data-level={alarmLevel}
            x={Math.min(from, left + plotWidth - width)}
            y={box.top}
            width={width}
            height={box.height}
            rx={1.5}
          >
            <title>{title}</title>
          </rect>
        );
      })}
    </g>
  );
});

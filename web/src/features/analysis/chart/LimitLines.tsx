import { useTranslation } from 'react-i18next';
import { comparators } from '@/lib/alarm/comparator';
import { useFormat } from '@/lib/format/format';
import { spreadLabels } from '@/ui/chart/endLabels';
import { type Measure, truncateToWidth } from '@/ui/chart/measure';
import css from './AnalysisChart.module.css';
import type { Box, Geometry } from './geometry';
import type { Limit } from './limits';
import type { Panel } from './panels';

interface LimitLinesProps {
  limits: readonly Limit[];
  panel: Panel;
  box: Box;
  geometry: Geometry;
  y: (value: number) => number;
  measure: Measure;
}

const labelHeight = 14;

/** The limits of running rules. One beyond the axis is named at the edge that it lies behind. */
export function LimitLines({ limits, panel, box, geometry, y, measure }: LimitLinesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { left, plotWidth } = geometry;
  const { scale } = panel;
  const devices = new Set(panel.columns.map(({ deviceName }) => deviceName)).size;
  const beyond = ({ value }: Limit) => (value > scale.max ? '↑' : value < scale.min ? '↓' : null);
  const edge = { top: box.top + labelHeight, height: Math.max(0, box.height - labelHeight - 4) };
  const wanted = limits.map((limit) => Math.min(edge.top + edge.height, Math.max(edge.top, y(limit.value) - 4)));
  const heights = spreadLabels(wanted, edge, labelHeight);
  return limits.map((limit, index) => {
    const away = beyond(limit);
    const column = panel.columns.find(({ sign }) => sign === limit.sign);
    const reading = format.reading({ value: limit.value, unit: panel.unit, precision: column?.precision });
    const value = `${comparators[limit.operator].symbol} ${reading}`;
    const rule = t('analysis.limit', { value, name: format.list(limit.names) });
    // Where the plot has lines of other devices, the limit says whose it is.
    const own = [
      ...new Set(
        panel.columns.filter(({ deviceName }) => limit.deviceNames.includes(deviceName)).map(({ device }) => device),
      ),
    ];
    const words = own.length < devices ? t('analysis.lineOf', { device: rule, name: format.list(own) }) : rule;
    const text = truncateToWidth(away ? `${away} ${words}` : words, plotWidth * 0.6, (part) => measure(part));
    return (
      <g
        key={`${limit.sign} ${limit.operator} ${limit.value} ${limit.recovery} ${limit.deviceNames}`}
        data-level={limit.level}
      >
        {away ? null : (
          <line className={css.limit} x1={left} x2={left + plotWidth} y1={y(limit.value)} y2={y(limit.value)} />
        )}
        {away || limit.recovery === null ? null : (
          <line
            className={css.recovery}
            x1={left}
            x2={left + plotWidth}
            y1={y(limit.recovery)}
            y2={y(limit.recovery)}
          />
        )}
        <text className={css.limitName} x={left + 6} y={heights[index]}>
          {text}
        </text>
      </g>
    );
  });
}

import type { TFunction } from 'i18next';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Format, useFormat } from '@/lib/format/format';
import { tickTexts } from '@/ui/chart/axes';
import { type Measure, truncateToWidth } from '@/ui/chart/measure';
import type { Axis } from '../data/column';
import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import { Bars } from './Bars';
import { type Box, type Geometry, headHeight, xOf, yIn } from './geometry';
import { LimitLines } from './LimitLines';
import { Lines } from './Lines';
import { depthName } from './names';
import type { Panel } from './panels';
import { SoilZones } from './SoilZones';
import { Switches } from './Switches';
import { showsPhases } from './switches';

interface PanelPlotProps {
  panel: Panel;
  box: Box;
  geometry: Geometry;
  axis: Axis;
  span: Span;
  band: boolean;
  /** Where no line of the plot has values; null: gaps are not shown. */
  gaps: readonly Span[] | null;
  /** It stands below another depth, whose head counts for both. */
  follows: boolean;
  clip: string;
  hatch: string;
  measure: Measure;
}

/** One plot: its head, axis and grid, and what is drawn in it. */
export const PanelPlot = memo(function PanelPlot({
  panel,
  box,
  geometry,
  axis,
  span,
  band,
  gaps,
  follows,
  clip,
  hatch,
  measure,
}: PanelPlotProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const y = useMemo(() => yIn(panel, box), [panel, box]);
  const { left, plotWidth } = geometry;
  const { scale, kind } = panel;
  const depth = depthName(panel, format);
  const texts = kind === 'step' ? [] : tickTexts(scale, format.number);
  return (
    <g>
      {follows ? null : (
        <text className={css.head} x={left} y={box.top - headHeight + 15}>
          {truncateToWidth(headOf(panel, span, plotWidth, format, t), plotWidth + geometry.gutter, (words) =>
            measure(words, 'name'),
          )}
        </text>
      )}
      {texts.map((text, index) => {
        const height = y(scale.min + index * scale.step);
        // The ticks at the edges of depths would stand on each other.
        const edge = kind === 'depth' && (index === 0 || index === texts.length - 1);
        return (
          <g key={text}>
            <line className={css.grid} x1={left} x2={left + plotWidth} y1={height} y2={height} />
            {edge ? null : (
              <text className={css.tick} x={left - 8} y={height + 4} textAnchor="end">
                {text}
              </text>
            )}
          </g>
        );
      })}
      <g clipPath={`url(#${clip})`}>
        {panel.marks ? <SoilZones marks={panel.marks} box={box} left={left} width={plotWidth} y={y} /> : null}
        {gaps?.map(({ from, to }) => {
          const x = xOf(from, span, geometry);
          const width = xOf(to, span, geometry) - x;
          return (
            <rect key={from} x={x} y={box.top} width={width} height={box.height} fill={`url(#${hatch})`} data-gap="" />
          );
        })}
        {panel.bars ? (
          <Bars panel={panel} bars={panel.bars} box={box} geometry={geometry} span={span} y={y} />
        ) : kind === 'step' ? null : (
          <Lines panel={panel} geometry={geometry} axis={axis} span={span} band={band} y={y} />
        )}
      </g>
      {kind === 'step' ? (
        <Switches
          panel={panel}
          box={box}
          geometry={geometry}
          span={span}
          gaps={gaps !== null}
          clip={clip}
          hatch={hatch}
        />
      ) : null}
      {depth === null ? null : (
        <text className={css.depth} x={left - 8} y={box.top + 11} textAnchor="end">
          {depth}
        </text>
      )}
      <LimitLines limits={panel.limits} panel={panel} box={box} geometry={geometry} y={y} measure={measure} />
      <line
        className={css.base}
        x1={left}
        x2={left + plotWidth}
        y1={box.top + box.height + 0.5}
        y2={box.top + box.height + 0.5}
      />
    </g>
  );
});

/** A plot of one quantity is named after it; one of several has only its unit. */
function headOf(panel: Panel, span: Span, width: number, format: Format, t: TFunction): string {
  const unit = format.unit(panel.unit);
  const names = [...new Set(panel.columns.map(({ name }) => name))];
  const [name = ''] = names;
  if (panel.kind === 'depth') return t('analysis.head', { name: quantityOf(name), unit });
  if (panel.bars) {
    const period = t(`analysis.per.${panel.bars.period}`);
    return names.length === 1 ? t('analysis.headOfSums', { name, unit, period }) : t('analysis.sums', { unit, period });
  }
  if (panel.kind === 'step') {
    const exact = panel.columns.every(({ line: { onTimes } }) => onTimes && showsPhases(onTimes, span, width));
    return exact ? name : t('analysis.onTimes.headOfDays', { name });
  }
  if (names.length > 1) return unit;
  const own = format.unit(panel.unit, name);
  return own === '' ? name : t('analysis.head', { name, unit: own });
}

/** Soil moisture (10 cm) is soil moisture, as is soil moisture, 10 cm; its depths have labels of their own. */
const quantityOf = (name: string) => name.replace(/\s*(?:[(（].*[)）]|[,，]?\s*\d+\s*(?:cm|см|厘米))\s*$/u, '') || name;

import { type Ref, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmNotice } from '@/lib/alarm/notices';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useMeasure } from '@/ui/chart/measure';
import { commonGaps } from '@/ui/chart/times';
import { useWidth } from '@/ui/chart/useWidth';
import type { SoilMarks } from '../data/attributes';
import type { Axis, Column } from '../data/column';
import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import { AxisTicks } from './AxisTicks';
import { CrossLine, placeText, resolutionOf, ValueBox, valueTexts } from './Crosshair';
import { marksAt } from './crosshair';
import { barsIn } from './drawnBars';
import { EndLabels } from './EndLabels';
import { geometryOf, xOf } from './geometry';
import { AlarmLane, RainLane } from './Lanes';
import { Legend } from './Legend';
import type { Limit } from './limits';
import { depthName, fullName, lineName } from './names';
import { PanelPlot } from './PanelPlot';
import { type Panel, panelsOf } from './panels';
import { gapsOf } from './runs';
import { useChartKeys } from './useChartKeys';
import { useSurface } from './useSurface';

interface AnalysisChartProps {
  columns: readonly Column[];
  axis: Axis;
  span: Span;
  rain: Column | null;
  alarms: readonly AlarmNotice[];
  limits: readonly Limit[];
  nights: readonly Span[];
  band: boolean;
  gaps: boolean;
  depths: boolean;
  marksOf: (sign: string) => SoilMarks | undefined;
  /** The picture, to be saved. */
  picture: Ref<SVGSVGElement>;
  /** A part was chosen. */
  onChoose: (span: Span) => void;
  /** Moves the range by a share of its length. */
  onMove: (share: number) => void;
  /** Changes the range's length by a factor around a place. */
  onZoom: (factor: number, around: number) => void;
}

/**
 * The lines in plots over one axis, with what is drawn over them. Each part renders again only when
 * its own input differs: the crosshair follows every movement of the pointer.
 */
export function AnalysisChart(props: AnalysisChartProps) {
  const { columns, axis, span, rain, alarms, limits, nights, band, depths, marksOf, picture } = props;
  const { t } = useTranslation();
  const format = useFormat();
  const measure = useMeasure();
  const id = useId();
  const isPhone = useMediaQuery(phoneQuery);
  const [ref, width] = useWidth();
  const surface = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [brush, setBrush] = useState<Span | null>(null);

  const panels = useMemo(
    () => panelsOf(columns, { axis, span, width, steps: isPhone ? 3 : 4, band, depths, marksOf, limits }),
    [columns, axis, span, width, isPhone, band, depths, marksOf, limits],
  );
  const geometry = useMemo(() => {
    const names = isPhone
      ? []
      : panels.flatMap((panel) => panel.columns.map((column) => lineName(column, panel.columns, t)));
    const deep = panels.map((panel) => depthName(panel, format)).filter((name) => name !== null);
    const wanted = { width, phone: isPhone, rain: rain !== null, alarms: alarms.length > 0, names, depths: deep };
    return geometryOf(panels, wanted, measure, format);
  }, [panels, width, isPhone, rain, alarms.length, measure, format, t]);
  const gaps = useMemo(
    () => panels.map((panel) => (props.gaps && axis === 'time' ? gapsIn(panel, span) : null)),
    [panels, props.gaps, axis, span],
  );

  const point = at !== null && at >= span.from && at <= span.to ? at : null;
  const marked = useMemo(() => (rain ? [...columns, rain] : columns), [columns, rain]);
  const barsOf = useMemo(
    () => barsIn(panels, rain, span, geometry.plotWidth),
    [panels, rain, span, geometry.plotWidth],
  );
  const marks = useMemo(
    () => (point === null ? [] : marksAt(marked, axis, point, barsOf)),
    [marked, axis, point, barsOf],
  );
  useSurface(surface, { geometry, span, onPoint: setAt, onBrush: setBrush, onChoose: props.onChoose });
  useChartKeys(surface, {
    columns,
    axis,
    span,
    point,
    onPoint: setAt,
    onMove: props.onMove,
    onZoom: props.onZoom,
  });

  const spoken =
    point === null
      ? `${placeText(span.from, axis, format)} – ${placeText(span.to, axis, format)}`
      : [
          placeText(point, axis, format, resolutionOf(marks)),
          ...marks.map((mark) => `${fullName(mark.column, t)} ${valueTexts(mark, format, t).value}`),
        ].join(', ');
  const first = geometry.rain?.top ?? geometry.alarms?.top ?? geometry.boxes[0]?.top ?? 0;
  const last = geometry.boxes.at(-1);
  const bottom = last ? last.top + last.height : geometry.height;
  const { left, plotWidth } = geometry;
  const across = (time: number) => xOf(time, span, geometry);
  const pointX = point === null ? 0 : across(point);
  const strokeOf = (column: Column) => panels.find(({ strokes }) => strokes.has(column.key))?.strokes.get(column.key);
  useDrawnMark(columns);

  return (
    <div ref={ref} className={css.place} data-chart="">
      {isPhone ? <Legend columns={columns} strokeOf={strokeOf} /> : null}
      <div style={{ position: 'relative' }}>
        <svg
          ref={picture}
          className={css.picture}
          width={width}
          height={geometry.height}
          viewBox={`0 0 ${width} ${geometry.height}`}
          aria-hidden="true"
        >
          <defs>
            <clipPath id={`${id}-clip`}>
              <rect x={left} y={0} width={plotWidth} height={geometry.height} />
            </clipPath>
            <pattern
              id={`${id}-hatch`}
              width="6"
              height="6"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <line className={css.hatch} x1="0" x2="0" y1="0" y2="6" strokeWidth="1.5" />
            </pattern>
          </defs>
          {nights.map(({ from, to }) => (
            <rect
              key={from}
              className={css.night}
              x={across(from)}
              y={first}
              width={across(to) - across(from)}
              height={bottom - first}
            />
          ))}
          {rain && geometry.rain ? (
            <RainLane rain={rain} box={geometry.rain} geometry={geometry} span={span} clip={`${id}-clip`} />
          ) : null}
          {geometry.alarms ? (
            <AlarmLane alarms={alarms} box={geometry.alarms} geometry={geometry} span={span} named={!isPhone} />
          ) : null}
          {panels.map((panel, index) => {
            const box = geometry.boxes[index];
            if (!box) return null;
            return (
              <g key={panel.key}>
                <PanelPlot
                  panel={panel}
                  box={box}
                  geometry={geometry}
                  axis={axis}
                  span={span}
                  band={band}
                  gaps={gaps[index] ?? null}
                  follows={panel.kind === 'depth' && panels[index - 1]?.kind === 'depth'}
                  clip={`${id}-clip`}
                  hatch={`${id}-hatch`}
                  measure={measure}
                />
                {isPhone ? null : (
                  <EndLabels panel={panel} box={box} geometry={geometry} span={span} measure={measure} />
                )}
              </g>
            );
          })}
          <AxisTicks axis={axis} span={span} geometry={geometry} measure={measure} />
          {point === null ? null : (
            <CrossLine at={point} marks={marks} panels={panels} geometry={geometry} axis={axis} span={span} />
          )}
          {brush ? (
            <rect
              className={css.brush}
              data-interactive=""
              x={across(brush.from)}
              y={first}
              width={across(brush.to) - across(brush.from)}
              height={bottom - first}
            />
          ) : null}
        </svg>
        <div
          ref={surface}
          className={css.surface}
          role="slider"
          tabIndex={0}
          aria-label={t('analysis.chart')}
          aria-describedby={`${id}-keys`}
          aria-valuemin={Math.round(span.from)}
          aria-valuemax={Math.round(span.to)}
          aria-valuenow={Math.round(point ?? span.from)}
          aria-valuetext={spoken}
        />
        {point === null || isPhone ? null : (
          <ValueBox
            at={point}
            marks={marks}
            axis={axis}
            strokeOf={strokeOf}
            style={pointX > left + plotWidth / 2 ? { right: `calc(100% - ${pointX - 14}px)` } : { left: pointX + 14 }}
          />
        )}
      </div>
      {point !== null && isPhone ? (
        <ValueBox at={point} marks={marks} axis={axis} strokeOf={strokeOf} style={null} />
      ) : null}
      <p id={`${id}-keys`} className="visually-hidden">
        {t('analysis.keys')}
      </p>
    </div>
  );
}

/** Where no line of a plot has values; the strips of switches have their own. */
function gapsIn(panel: Panel, span: Span): Span[] {
  if (panel.kind === 'step') return [];
  return commonGaps(panel.columns.filter(({ compared }) => !compared).map(({ line }) => gapsOf(line, span)));
}

/** Marks when lines were drawn, for measurements of how long that takes. */
function useDrawnMark(columns: readonly Column[]): void {
  useEffect(() => {
    if (columns.length > 0) performance.mark('analysis-drawn');
  }, [columns]);
}

import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { errorText } from '@/lib/http/errorText';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { LoadOnDemand, useLoadOnDemand } from '@/ui/LoadOnDemand';
import { PlainButton } from '@/ui/PlainButton';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { isDrawn } from './attributes';
import css from './ChartPane.module.css';
import type { HistoryDevice } from './device';
import { minChartHeight, neededHeight } from './geometry';
import { HistoryChart } from './HistoryChart';
import { modelOf } from './model';
import { firstReadingOutOfView } from './outOfView';
import type { Span } from './range';
import { StatsTable } from './StatsTable';
import { Summary } from './Summary';
import { TextChanges } from './TextChanges';
import { useComparison } from './useComparison';
import { useDebouncedValue } from './useDebouncedValue';
import type { useHistoryState } from './useHistoryState';
import { useReadings } from './useReadings';
import { useSize } from './useSize';
import { WindowBar } from './WindowBar';
import { covers, initialWindow, windowAt } from './window';

interface ChartPaneProps {
  device: HistoryDevice;
  state: ReturnType<typeof useHistoryState>;
  bar: ReactNode;
  /** The element for the figures; null: they stand below the chart. */
  aside: HTMLElement | null;
}

/** Axes and figures follow the window once it has not moved for this long. */
const pauseMs = 120;

/**
 * Two points for each pixel of the whole range, rounded up in steps, so that resizing the window
 * causes no new request.
 */
function pointsFor(isPhone: boolean): number {
  const pixels = isPhone ? globalThis.innerWidth : Math.min(globalThis.innerWidth, 1200) - 320;
  return Math.min(5000, Math.max(1000, Math.ceil((2 * pixels) / 500) * 500));
}

/** With the data saver: highs and lows are kept, and users seldom need the points between them. */
const dataSaverPoints = 300;

/** The chart with its window and figures, or the error that prevents it. */
export function ChartPane({ device, state, bar, aside }: ChartPaneProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const hintId = useId();
  const [place, size] = useSize();
  const [allPoints] = useState(() => pointsFor(isPhone));
  const [showsAll, showAll] = useLoadOnDemand();
  const points = showsAll ? allPoints : dataSaverPoints;
  const { asked, wanted, shown, attributes, colors, comparison, language, raw, noteCorrected } = state;

  // A window applies only to the range in which it was chosen.
  const [moved, setMoved] = useState<{ range: Span; window: Span } | null>(null);
  const own = moved && sameSpan(moved.range, asked) ? moved.window : null;
  const main = useReadings(
    { deviceName: device.deviceName, range: asked, asked: wanted, all: attributes, points, raw },
    own,
  );
  const other = useComparison({
    language,
    deviceName: device.deviceName,
    comparison,
    range: asked,
    window: own,
    attributes: wanted,
    all: attributes,
    points,
    raw,
  });
  const { corrected } = main;
  useEffect(() => {
    if (corrected !== undefined) noteCorrected(corrected);
  }, [corrected, noteCorrected]);

  const { from, to } = main.readings?.range ?? asked;
  const range = useMemo(() => ({ from, to }), [from, to]);
  const first = useMemo(() => initialWindow(range), [range]);
  const window = moved && sameSpan(moved.range, range) ? moved.window : first;
  const setWindow = (next: Span) => setMoved({ range, window: next });
  const rested = useDebouncedValue(window, pauseMs);
  const resting = covers(range, rested) ? rested : window;

  const drawnAttributes = useMemo(() => shown.filter(isDrawn), [shown]);
  const words = shown.filter((attribute) => !isDrawn(attribute));
  const model = useMemo(() => {
    if (!main.readings) return null;
    return modelOf(drawnAttributes, {
      lines: main.readings.lines,
      // Readings that are kept from a former range are not compared with anything.
      other: other.readings && sameSpan(range, asked) ? { lines: other.readings.lines, shift: other.shift } : null,
      colors,
      window: resting,
      width: Math.max(200, size.width - 64),
      steps: isPhone ? 3 : 4,
    });
  }, [main.readings, other.readings, other.shift, drawnAttributes, colors, resting, size.width, isPhone, range, asked]);

  // Until the window's finer readings are fetched, the note about a window without readings is not
  // shown.
  const unseen = model && !main.busy ? firstReadingOutOfView(model, resting) : null;
  const surface = useRef<HTMLDivElement>(null);
  const toFirst = (time: number) => {
    setWindow(windowAt(time, window, range));
    // The focused button disappears.
    surface.current?.focus();
  };

  const [picture, setPicture] = useState<'coming' | 'there' | 'failed'>('coming');
  const otherTitle =
    comparison.with === 'device' ? comparison.title : comparison.with === 'before' ? t('history.compare.before') : null;
  const error = main.error ?? other.error;
  const nothing =
    main.readings !== undefined &&
    !main.busy &&
    [...main.readings.lines.values()].every(({ line }) => line.times.length === 0) &&
    main.readings.texts.size === 0;
  const figures =
    model && drawnAttributes.length > 0 && !nothing ? (
      <StatsTable model={model} window={resting} otherTitle={otherTitle} />
    ) : null;

  return (
    <>
      {bar}
      {error ? (
        <div className={css.note}>
          <ErrorNote
            title={t(main.readings ? 'history.refreshFailed' : 'history.failed')}
            text={errorText(error)}
            onRetry={() => {
              main.retry();
              other.retry();
            }}
            busy={main.busy || other.busy}
          />
        </div>
      ) : null}
      {other.nothingShared ? (
        <p className={css.hint}>{t('history.compare.nothingShared', { name: otherTitle ?? '' })}</p>
      ) : null}
      {shown.length === 0 && attributes.length > 0 ? (
        <div className={css.empty}>
          <Empty title={t('history.attrRequired')} text={t('history.attrHint')} level={3} />
        </div>
      ) : nothing ? (
        <div className={css.empty}>
          <Empty title={t('common.empty')} text={t('history.emptyText')} level={3} />
        </div>
      ) : (
        <>
          <div
            ref={place}
            className={`${css.chart} ${drawnAttributes.length === 0 && shown.length > 0 ? css.gone : ''}`}
            style={{ minHeight: neededHeight(model?.panels ?? []) }}
            aria-busy={main.busy || undefined}
            data-drawn={picture === 'there' && model !== null}
          >
            {model && drawnAttributes.length > 0 && picture !== 'failed' ? (
              <HistoryChart
                model={model}
                range={range}
                window={window}
                size={size}
                onWindow={setWindow}
                onDrawn={() => setPicture('there')}
                onFailed={() => setPicture('failed')}
                hintId={hintId}
                otherTitle={otherTitle}
                surface={surface}
              />
            ) : null}
            {unseen !== null && drawnAttributes.length > 0 && picture === 'there' ? (
              <div className={css.unseen} role="status">
                <p>{t('history.emptyPart')}</p>
                <PlainButton onClick={() => toFirst(unseen)}>{t('history.toFirst')}</PlainButton>
              </div>
            ) : null}
            {picture === 'failed' ? (
              <ErrorNote title={t('history.chartFailed')} text={t('history.chartFailedText')} />
            ) : null}
            {picture === 'coming' && !error ? (
              <div className={css.skeleton}>
                <Loading label={t('history.loading')}>
                  <Skeleton height={Math.max(minChartHeight, size.height - 8)} radius={8} />
                </Loading>
              </div>
            ) : null}
          </div>
          {showsAll || drawnAttributes.length === 0 ? null : (
            <p className={css.saved}>
              {t('saver.points')}
              <LoadOnDemand icon={<LineChartOutlined />} words={t('saver.allPoints')} onTap={showAll} />
            </p>
          )}
          {drawnAttributes.length > 0 ? (
            <WindowBar model={model} range={range} window={window} onWindow={setWindow} />
          ) : null}
          {model && drawnAttributes.length > 0 ? (
            <Summary model={model} range={range} window={resting} hintId={hintId} />
          ) : null}
          {aside ? createPortal(figures, aside) : figures}
          {words.map((attribute) => (
            <TextChanges
              key={attribute.id}
              attribute={attribute}
              changes={main.readings?.texts.get(attribute.id) ?? []}
              window={drawnAttributes.length > 0 ? resting : range}
            />
          ))}
        </>
      )}
    </>
  );
}

const sameSpan = (a: Span, b: Span) => a.from === b.from && a.to === b.to;

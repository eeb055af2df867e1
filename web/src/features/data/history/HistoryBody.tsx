import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFirstFocus } from '@/lib/hooks/useFirstFocus';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { errorText } from '@/lib/http/errorText';
import { AnalysisLink } from '@/ui/AnalysisLink';
import { prepareChart } from '@/ui/chart/Chart';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { AttributeChips } from './AttributeChips';
import { AttributeList } from './AttributeList';
import { isDrawn } from './attributes';
import { ChartPane } from './ChartPane';
import type { HistoryDevice } from './device';
import { ExportButton } from './ExportButton';
import css from './HistoryBody.module.css';
import { RangeField } from './RangeField';
import { ReadingsTable } from './ReadingsTable';
import { useComparisonSource } from './useComparisonSource';
import { comparisonFileName, fileName, useExport } from './useExport';
import { useHistoryState } from './useHistoryState';
import { type View, ViewBar } from './ViewBar';

/** The dialog's content: the controls above and beside, the result below. */
export function HistoryBody({ device }: { device: HistoryDevice }) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const state = useHistoryState(device);
  const { tsl, attributes, range, asked, selected, shown } = state;
  const [view, setView] = useState<View>('chart');
  // The side column, which the chart's pane fills with the figures of the window.
  const [aside, setAside] = useState<HTMLElement | null>(null);
  const { exporting, start, cancel } = useExport();
  useEffect(prepareChart, []);
  const tools = useFirstFocus<HTMLDivElement>('input:checked');
  const { comparison } = state;
  const { other, shared, pending, nothingShared } = useComparisonSource({
    language: state.language,
    deviceName: device.deviceName,
    comparison,
    range: asked,
    attributes: shown,
    all: attributes,
  });
  const title = comparison.with === 'device' ? comparison.title : t('history.compare.before');
  // Chart, table and export contain the same: of the comparison, only the attributes that both
  // have.
  const files = [
    { deviceName: device.deviceName, ids: selected, ...asked, file: fileName },
    ...(other && shared.length > 0
      ? [
          {
            deviceName: other.deviceName,
            ids: shared.map(({ id }) => id),
            ...other.range,
            file: comparisonFileName(comparison.with === 'device' ? other.deviceName : 'before'),
          },
        ]
      : []),
  ];

  const exportButton = (
    <ExportButton
      exporting={exporting}
      disabled={range.span === null || selected.length === 0 || pending}
      onStart={() => void start(files)}
      onCancel={cancel}
    />
  );
  const analysisLink = (
    <AnalysisLink
      devices={[device.deviceName, ...(comparison.with === 'device' ? [comparison.deviceName] : [])]}
      signs={shown.filter(isDrawn).map(({ id }) => id)}
      span={asked}
    />
  );
  const picker = { attributes, selected, colors: state.colors, onToggle: state.toggle };
  const bar = (
    <ViewBar
      deviceName={device.deviceName}
      view={view}
      onView={setView}
      comparison={state.comparison}
      onComparison={state.setComparison}
      raw={state.raw}
      onRaw={state.hasCorrected ? state.setRaw : undefined}
    />
  );
  return (
    <div className={css.body}>
      <div className={css.tools} ref={tools}>
        <RangeField span={range.span} shortcut={range.shortcut} onChange={state.chooseRange} />
        {isPhone ? null : (
          <div className={css.export}>
            {analysisLink}
            {exportButton}
          </div>
        )}
      </div>
      <div className={css.middle}>
        {isPhone ? null : (
          <aside className={css.side} aria-label={t('history.attributes')}>
            {attributes.length > 0 ? <AttributeList {...picker} /> : tsl.error ? null : <ListBars />}
            <div ref={setAside} className={css.figures} />
          </aside>
        )}
        <div className={css.pane}>
          {isPhone && attributes.length > 0 ? <AttributeChips {...picker} /> : null}
          {tsl.error ? (
            <ErrorNote
              title={t('history.attributesFailed')}
              text={errorText(tsl.error)}
              onRetry={() => void tsl.refetch()}
              busy={tsl.isFetching}
            />
          ) : null}
          {tsl.isSuccess && attributes.length === 0 ? (
            <Empty title={t('common.empty')} text={t('history.noAttributes')} level={3} />
          ) : tsl.isSuccess && view === 'table' ? (
            <>
              {bar}
              {nothingShared ? <p className={css.hint}>{t('history.compare.nothingShared', { name: title })}</p> : null}
              <ReadingsTable
                deviceName={device.deviceName}
                range={asked}
                attributes={shown}
                raw={state.raw}
                other={other && { ...other, title, attributes: shared }}
              />
            </>
          ) : tsl.error ? null : (
            <ChartPane device={device} state={state} bar={bar} aside={isPhone ? null : aside} />
          )}
        </div>
      </div>
      {isPhone ? (
        <div className={css.foot}>
          {analysisLink}
          {exportButton}
        </div>
      ) : null}
    </div>
  );
}

function ListBars() {
  return (
    <Loading>
      <div className={css.bars}>
        {[0, 1, 2, 3, 4, 5].map((bar) => (
          <Skeleton key={bar} height={20} />
        ))}
      </div>
    </Loading>
  );
}

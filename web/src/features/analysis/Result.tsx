import { useQuery } from '@tanstack/react-query';
import { Segmented } from 'antd';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatZone } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { Empty } from '@/ui/Empty';
import { AlarmList } from './AlarmList';
import css from './AnalysisPage.module.css';
import { AnalysisChart } from './chart/AnalysisChart';
import { limitsOf, type Rule } from './chart/limits';
import { maxNightsMs, nightsOf } from './chart/nights';
import type { SoilMarks } from './data/attributes';
import type { Span } from './data/line';
import type { Drawn } from './data/plan';
import { alarmsQuery, runningRulesQuery } from './data/queries';
import { movedSpan, zoomedSpan } from './data/span';
import type { Analysis } from './data/useAnalysis';
import { ExportMenu } from './export/ExportMenu';
import { OnTimesList } from './OnTimesList';
import type { AnalysisSearch, Layer } from './search';
import { AnalysisTable } from './table/AnalysisTable';

interface ResultProps {
  analysis: Analysis;
  drawn: Drawn;
  search: AnalysisSearch;
  change: (next: Partial<AnalysisSearch>, options?: { replace: boolean }) => void;
  shows: (layer: Layer) => boolean;
  captions: readonly string[];
  /** The rule of the alarm that the address names, as it was. */
  alarmRule: Rule | undefined;
  /** The range in words, for exports. */
  range: string;
  /** The end of ranges. */
  now: number;
}

/** The lines as a chart or as a table, with the alarms of the range below. */
export function Result({ analysis, drawn, search, change, shows, captions, alarmRule, range, now }: ResultProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { sources, names, plan, isFetching } = analysis;
  const picture = useRef<SVGSVGElement>(null);
  const axis = drawn.season ? 'degreeDays' : 'time';
  const overTime = axis === 'time';
  const { span } = drawn;
  const rules = useQuery({ ...runningRulesQuery(names), enabled: shows('limits') });
  const alarms = useQuery({ ...alarmsQuery(names, plan.span), enabled: shows('alarms') && overTime });
  const limits = useMemo(
    () =>
      shows('limits')
        ? limitsOf(
            [...(rules.data ?? []), ...(alarmRule ? [alarmRule] : [])],
            sources.map(({ device }) => device),
          )
        : [],
    [rules.data, alarmRule, shows, sources],
  );
  const nights = useMemo(() => {
    const place = sources.find(({ device }) => device.latitude !== undefined)?.device;
    if (!shows('nights') || !overTime || span.to - span.from > maxNightsMs || !place) return [];
    return nightsOf(span, { latitude: place.latitude ?? 0, longitude: place.longitude ?? 0 });
  }, [sources, shows, overTime, span]);
  const { full, refill } = search;
  const productMarks = analysis.marksOf;
  const marksOf = useMemo(() => marksWith({ full, refill }, productMarks), [full, refill, productMarks]);
  const setSpan = ({ from, to }: Span, options?: { replace: boolean }) =>
    change({ from: Math.round(from), to: Math.round(to), range: undefined }, options);
  // Back leaves a range that was moved in many small steps at once.
  const moved = { replace: search.from !== undefined };
  const title = format.list([...new Set(drawn.columns.map(({ device }) => device))]);
  const zone = overTime ? formatZone(span.to) : '';
  const lines = [range, zone, ...captions].filter(Boolean);
  const listed = shows('alarms') && overTime ? (alarms.data ?? []) : [];

  if (drawn.columns.length === 0 || (drawn.season && !drawn.season.days.some(({ reliable }) => reliable))) {
    if (plan.leftOut) return <Empty title={t('analysis.caption.leftOut')} />;
    const text = drawn.season ? format.sentences(captions) : t('analysis.nothing.text');
    return <Empty kind="search" title={t('analysis.nothing.title')} text={text} />;
  }
  return (
    <div className={css.drawn} data-result="">
      <div className={css.bar}>
        <p className={css.caption}>{format.sentences(captions)}</p>
        <div className={css.actions}>
          <ExportMenu
            svg={() => picture.current}
            columns={drawn.columns}
            axis={axis}
            title={title}
            lines={lines}
            disabled={isFetching || analysis.error !== null}
          />
          <Segmented
            aria-label={t('analysis.view.label')}
            value={search.view ?? 'chart'}
            onChange={(view) => change({ view: view === 'table' ? 'table' : undefined })}
            options={[
              { value: 'chart', label: t('analysis.view.chart') },
              { value: 'table', label: t('analysis.view.table') },
            ]}
          />
        </div>
      </div>
      {search.view === 'table' ? (
        <AnalysisTable columns={drawn.columns} axis={axis} />
      ) : (
        <AnalysisChart
          columns={drawn.columns}
          axis={axis}
          span={span}
          rain={drawn.rain}
          alarms={listed}
          limits={limits}
          nights={nights}
          band={shows('band')}
          gaps={shows('gaps')}
          depths={shows('depths')}
          marksOf={marksOf}
          picture={picture}
          onChoose={(chosen) => (overTime ? setSpan(chosen) : undefined)}
          onMove={(share) => (overTime ? setSpan(movedSpan(span, share, now), moved) : undefined)}
          onZoom={(factor, around) => (overTime ? setSpan(zoomedSpan(span, factor, around, now), moved) : undefined)}
        />
      )}
      <OnTimesList columns={drawn.columns} />
      {shows('alarms') && overTime ? (
        <AlarmList
          alarms={alarms.data}
          deviceNames={names}
          error={alarms.error}
          onRetry={() => void alarms.refetch()}
          busy={alarms.isFetching}
        />
      ) : null}
    </div>
  );
}

/** The marks of the address take precedence over those of the product. */
function marksWith(
  own: Partial<SoilMarks>,
  productMarks: (sign: string) => SoilMarks | undefined,
): (sign: string) => SoilMarks | undefined {
  return (sign) => {
    const known = productMarks(sign);
    const full = own.full ?? known?.full;
    const refill = own.refill ?? known?.refill;
    return full === undefined || refill === undefined || refill >= full ? undefined : { full, refill };
  };
}

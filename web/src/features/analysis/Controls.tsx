import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { Select } from '@/ui/Select';
import css from './AnalysisPage.module.css';
import { maxNightsMs } from './chart/nights';
import { isSplit } from './chart/panels';
import { CompareField } from './controls/CompareField';
import controls from './controls/controls.module.css';
import { DevicesField } from './controls/DevicesField';
import { Layers } from './controls/Layers';
import { More } from './controls/More';
import { isMonth, nextMonth, pastMonths } from './controls/months';
import { RangeField } from './controls/RangeField';
import { RangePicker } from './controls/RangePicker';
import { SignsField } from './controls/SignsField';
import { SoilField } from './controls/SoilField';
import { defaultSince } from './data/plan';
import { defaultPreset, movedSpan, zoomedSpan } from './data/span';
import type { Analysis } from './data/useAnalysis';
import { type AnalysisSearch, type Layer, resolutions } from './search';
import { ViewsMenu } from './views/ViewsMenu';

interface ControlsProps {
  analysis: Analysis;
  search: AnalysisSearch;
  change: (next: Partial<AnalysisSearch>) => void;
  shows: (layer: Layer) => boolean;
  toggle: (layer: Layer) => void;
  titleOf: (deviceName: string) => string;
  /** Ends ranges up to now at this moment. */
  onRefresh: () => void;
  /** The address' parameters, to be saved as a view. */
  query: string;
  onOpen: (query: string) => void;
}

/** Everything that can be chosen: devices, attributes, range, detail, comparison and layers. */
export function Controls({
  analysis,
  search,
  change,
  shows,
  toggle,
  titleOf,
  onRefresh,
  query,
  onOpen,
}: ControlsProps) {
  const { t } = useTranslation();
  const { names, sources, attributes, signs, plan, drawn } = analysis;
  const span = drawn && plan.axis === 'time' && !drawn.season ? drawn.span : plan.span;
  const season = plan.season;
  const custom = search.from !== undefined;
  const chosen = attributes.filter(({ sign }) => signs.includes(sign));
  const soil = chosen.filter(({ sign }) => isSplit(sign, chosen));
  const { from: start, to: end } = search;
  const month =
    start !== undefined && end !== undefined && isMonth({ from: start, to: end }) ? { from: start, to: end } : null;
  const setSpan = ({ from, to }: { from: number; to: number }) => change({ from, to, range: undefined });
  const latest = () => Math.max(span.to, now());
  const reasonAgainst = (layer: Layer): string | undefined => {
    if (layer !== 'nights' || !shows('nights')) return undefined;
    const placed = sources.some(({ device }) => device.latitude !== undefined);
    const long = plan.axis !== 'time' || span.to - span.from > maxNightsMs;
    return sources.length > 0 && (long || !placed) ? t('analysis.nightsOff') : undefined;
  };
  return (
    <section className={css.controls} aria-label={t('analysis.title')}>
      <div className={css.top}>
        <DevicesField
          names={names}
          titleOf={titleOf}
          onChange={(next) => change({ devices: next.join(',') || undefined })}
        />
        <ViewsMenu query={query} onOpen={onOpen} />
      </div>
      {names.length === 0 ? null : (
        <>
          <SignsField attributes={attributes} signs={signs} onChange={(next) => change({ signs: next.join(',') })} />
          <div className={css.row}>
            {season ? null : (
              <RangeField
                preset={custom ? null : (search.range ?? defaultPreset)}
                month={month}
                months={pastMonths(now())}
                onMonth={setSpan}
                onPreset={(range) => change({ range, from: undefined, to: undefined })}
                onMove={(share) =>
                  setSpan(month ? nextMonth(month, share < 0 ? -1 : 1, now()) : movedSpan(span, share, latest()))
                }
                onZoom={(factor) => setSpan(zoomedSpan(span, factor, (span.from + span.to) / 2, latest()))}
                onRefresh={() => {
                  if (custom) setSpan(movedSpan(span, Number.POSITIVE_INFINITY, now()));
                  else onRefresh();
                }}
              />
            )}
            <More>
              {season ? null : <RangePicker span={span} onSpan={setSpan} />}
              <div className={controls.field}>
                <label className={controls.label} htmlFor="analysis-by">
                  {t('analysis.by.label')}
                </label>
                <Select
                  id="analysis-by"
                  value={search.by ?? 'auto'}
                  onChange={({ target }) =>
                    change({ by: target.value === 'auto' ? undefined : (target.value as AnalysisSearch['by']) })
                  }
                >
                  {resolutions.map((by) => (
                    <option key={by} value={by}>
                      {t(`analysis.by.${by}`)}
                    </option>
                  ))}
                </Select>
              </div>
              <CompareField
                compare={search.compare}
                since={search.since ?? defaultSince}
                base={season?.base ?? search.base ?? 10}
                onChange={change}
              />
              {soil.length > 0 && shows('depths') ? (
                <SoilField
                  marks={{
                    full: search.full ?? analysis.marksOf(soil[0]?.sign ?? '')?.full,
                    refill: search.refill ?? analysis.marksOf(soil[0]?.sign ?? '')?.refill,
                  }}
                  onChange={change}
                />
              ) : null}
            </More>
          </div>
          {search.compare === 'degreeDays' && sources.length > 0 && !season ? (
            <p className={css.missing}>{t('analysis.compare.noWarmth')}</p>
          ) : null}
          <Layers shows={shows} reasonAgainst={reasonAgainst} onToggle={toggle} />
        </>
      )}
    </section>
  );
}

import InfoCircleOutlined from '@ant-design/icons/InfoCircleOutlined';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { touchQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { durationText } from './duration';
import type { Model } from './model';
import type { Span } from './range';
import css from './Summary.module.css';
import { initialWindow } from './window';

interface SummaryProps {
  model: Model;
  range: Span;
  window: Span;
  hintId: string;
}

/** If there are more gaps, only their number is given. */
const maxGaps = 5;

/**
 * One sentence below the chart. For screen readers: what the window shows, its gaps, and the keys.
 * The figures are in a table of their own.
 */
export function Summary({ model, range, window, hintId }: SummaryProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isTouch = useMediaQuery(touchQuery);
  const say = (time: number) => formatDateTime(time, format.language);
  const panel = model.panels.find(({ kind }) => kind === 'numbers');
  const gaps = (panel?.sharedGaps ?? []).filter(({ from, to }) => to > window.from && from < window.to);
  const first = initialWindow(range);
  const isFirst = Math.abs(window.from - first.from) < 1000 && Math.abs(window.to - first.to) < 1000;
  const isExact = model.panels.every(({ traces }) => traces.every((trace) => trace.isExact(window)));
  const hasHours = model.panels.some(({ traces }) => traces.some(({ hours }) => hours !== null));
  return (
    <>
      <p className={css.note}>
        <InfoCircleOutlined aria-hidden="true" />{' '}
        {format.sentences([
          isFirst ? t('history.firstShare', { percent: format.percent(0.2) }) : null,
          t(isTouch ? 'history.moveHint' : 'history.moveHintLong'),
          hasHours ? t('history.hourly') : isExact ? null : t('history.thinned'),
        ])}
      </p>
      <div className="visually-hidden">
        <p role="status">
          {t('history.shown', { from: say(window.from), to: say(window.to) })}{' '}
          {gaps.length === 0
            ? t('history.noGaps')
            : t('history.gaps', {
                count: gaps.length,
                list: gaps
                  .slice(0, maxGaps)
                  .map((gap) => `${say(gap.from)}, ${durationText(gap.to - gap.from, t)}`)
                  .join('; '),
              })}
        </p>
        <p id={hintId}>{t('history.keys')}</p>
      </div>
    </>
  );
}

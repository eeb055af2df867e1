import { Segmented, Switch } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { CompareField } from './CompareField';
import type { Comparison } from './compare';
import css from './ViewBar.module.css';

export type View = 'chart' | 'table';

interface ViewBarProps {
  deviceName: string;
  view: View;
  onView: (view: View) => void;
  comparison: Comparison;
  onComparison: (comparison: Comparison) => void;
  raw: boolean;
  /** Undefined if the range has no corrected readings. */
  onRaw: ((raw: boolean) => void) | undefined;
}

/** Chooses chart or table, corrected or raw numbers, and the comparison. */
export function ViewBar({ deviceName, view, onView, comparison, onComparison, raw, onRaw }: ViewBarProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className={css.bar}>
      <Segmented<View>
        size="small"
        aria-label={t('history.view')}
        value={view}
        onChange={onView}
        options={[
          { value: 'chart', label: t('history.chart') },
          { value: 'table', label: t('history.table') },
        ]}
      />
      {onRaw ? (
        <span className={css.raw}>
          <Switch id={id} size="small" checked={raw} onChange={onRaw} />
          <label htmlFor={id}>{t('calibration.raw.switch')}</label>
        </span>
      ) : null}
      <CompareField deviceName={deviceName} value={comparison} onChange={onComparison} />
    </div>
  );
}

import { Segmented } from 'antd';
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
}

/** Chooses chart or table, and the comparison. */
export function ViewBar({ deviceName, view, onView, comparison, onComparison }: ViewBarProps) {
  const { t } = useTranslation();
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
      <CompareField deviceName={deviceName} value={comparison} onChange={onComparison} />
    </div>
  );
}

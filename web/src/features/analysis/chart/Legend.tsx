import { useTranslation } from 'react-i18next';
import type { Column } from '../data/column';
import { Swatch } from './Crosshair';
import css from './Legend.module.css';
import { fullName } from './names';

interface LegendProps {
  columns: readonly Column[];
  strokeOf: (column: Column) => readonly number[] | undefined;
}

/** The names of the lines where there is no room at their ends. */
export function Legend({ columns, strokeOf }: LegendProps) {
  const { t } = useTranslation();
  return (
    <ul className={css.legend} data-legend="" aria-label={t('analysis.legend')}>
      {columns
        .filter(({ compared }) => !compared)
        .map((column) => (
          <li key={column.key}>
            <Swatch column={column} stroke={strokeOf(column)} />
            {fullName(column, t)}
          </li>
        ))}
      {columns.some(({ compared }) => compared) ? <li className={css.before}>{t('analysis.paleBefore')}</li> : null}
    </ul>
  );
}

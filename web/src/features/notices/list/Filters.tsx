import { useTranslation } from 'react-i18next';
import { levels, type ResolveStatus } from '@/lib/alarm/types';
import { Select } from '@/ui/Select';
import type { NoticesSearch } from '../search';
import css from './Filters.module.css';

const statuses: readonly ResolveStatus[] = [0, 1, 2];

interface FiltersProps {
  search: NoticesSearch;
  onChange: (part: Pick<NoticesSearch, 'status' | 'level'>) => void;
}

/** Filters the list by state and level. */
export function Filters({ search: { status, level }, onChange }: FiltersProps) {
  const { t } = useTranslation();
  const code = (text: string) => (text === '' ? undefined : (Number(text) as 0 | 1 | 2));
  return (
    <fieldset className={css.filters}>
      <legend className="visually-hidden">{t('inform.filters')}</legend>
      <Select
        className={css.field}
        aria-label={t('inform.status')}
        value={status ?? ''}
        onChange={(event) => onChange({ status: code(event.target.value) })}
      >
        <option value="">{t('inform.allStatuses')}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {t(`resolve.${status}`)}
          </option>
        ))}
      </Select>
      <Select
        className={css.field}
        aria-label={t('inform.level')}
        value={level ?? ''}
        onChange={(event) => onChange({ level: code(event.target.value) })}
      >
        <option value="">{t('inform.allLevels')}</option>
        {levels.map((level) => (
          <option key={level} value={level}>
            {t(`home.level.${level}`)}
          </option>
        ))}
      </Select>
    </fieldset>
  );
}

import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useTypedSearch } from '@/lib/hooks/useTypedSearch';
import { roles } from '@/lib/session/useMay';
import { SearchField } from '@/ui/SearchField';
import { Select } from '@/ui/Select';
import css from './FilterBar.module.css';
import type { PeopleFilter, PersonState } from './queries';

interface FilterBarProps {
  filter: PeopleFilter;
  onChange: (part: PeopleFilter) => void;
}

const states: readonly PersonState[] = ['active', 'disabled', 'shut'];

/** Filters the people by name or address, role and state; each takes effect by itself. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  const { t } = useTranslation();
  const search = useCallback((text: string) => onChange({ text: text || undefined }), [onChange]);
  const { typed, type, searchNow } = useTypedSearch(filter.text ?? '', search);
  return (
    <search className={css.bar}>
      <div className={css.name}>
        <SearchField
          value={typed}
          onChange={type}
          label={t('people.search')}
          placeholder={t('people.placeholder')}
          onEnter={searchNow}
        />
      </div>
      <Select
        className={css.select}
        aria-label={t('role.title')}
        value={filter.role ?? ''}
        onChange={({ target }) => onChange({ role: roles.find((role) => role === target.value) })}
      >
        <option value="">{t('people.anyRole')}</option>
        {roles.map((role) => (
          <option key={role} value={role}>
            {t(`role.${role}`)}
          </option>
        ))}
      </Select>
      <Select
        className={css.select}
        aria-label={t('app.state')}
        value={filter.state ?? ''}
        onChange={({ target }) => onChange({ state: states.find((state) => state === target.value) })}
      >
        <option value="">{t('people.anyState')}</option>
        {states.map((state) => (
          <option key={state} value={state}>
            {t(`people.state.${state}`)}
          </option>
        ))}
      </Select>
    </search>
  );
}

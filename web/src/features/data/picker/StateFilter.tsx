import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { OnlineFilter } from '../useChoice';
import css from './StateFilter.module.css';

interface StateFilterProps {
  value: OnlineFilter;
  onChange: (value: OnlineFilter) => void;
}

/** Filters devices: all, online or offline. */
export function StateFilter({ value, onChange }: StateFilterProps) {
  const { t } = useTranslation();
  const name = useId();
  const choices = [
    { state: undefined, words: t('data.picker.any') },
    { state: 'online', words: t('home.state.online') },
    { state: 'offline', words: t('home.state.offline') },
  ] as const;
  return (
    <fieldset className={css.track}>
      <legend className="visually-hidden">{t('data.picker.state')}</legend>
      {choices.map(({ state, words }) => (
        <label key={words} className={css.choice}>
          <input
            type="radio"
            className={css.input}
            name={name}
            checked={value === state}
            onChange={() => onChange(state)}
          />
          <span className={css.words}>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}

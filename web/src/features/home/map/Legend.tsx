import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { Dot } from '@/ui/Dot';
import css from './Legend.module.css';

/** Explains the marks. `ref` gives its position over the map. */
export function Legend({ ref }: { ref?: Ref<HTMLUListElement> }) {
  const { t } = useTranslation();
  return (
    <ul ref={ref} className={css.legend} aria-label={t('home.map.legend')}>
      {(['online', 'offline', 'alarm'] as const).map((state) => (
        <li key={state} className={css.entry}>
          <Dot state={state} />
          {t(`home.state.${state}`)}
        </li>
      ))}
    </ul>
  );
}

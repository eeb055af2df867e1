import { useTranslation } from 'react-i18next';
import { Dot } from '@/ui/Dot';
import css from './Legend.module.css';

/** What the marks mean. */
export function Legend() {
  const { t } = useTranslation();
  return (
    <ul className={css.legend} aria-label={t('home.map.legend')}>
      {(['online', 'offline', 'alarm'] as const).map((state) => (
        <li key={state} className={css.entry}>
          <Dot state={state} />
          {t(`home.state.${state}`)}
        </li>
      ))}
    </ul>
  );
}

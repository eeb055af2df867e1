import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { Dot } from '@/ui/Dot';
import css from './Legend.module.css';
import { Quantity } from './Quantity';
import type { useQuantity } from './useQuantity';

type LegendProps = Pick<ReturnType<typeof useQuantity>, 'quantities' | 'shown' | 'choose'> & {
  ref?: Ref<HTMLDivElement>;
};

/** What the map shows, and what its marks mean. `ref` gives its position over the map. */
export function Legend({ ref, quantities, shown, choose }: LegendProps) {
  const { t } = useTranslation();
  return (
    <div ref={ref} className={css.legend}>
      <Quantity quantities={quantities} shown={shown} onChoose={choose} />
      <ul className={css.marks} aria-label={t('home.map.legend')}>
        {(['online', 'offline', 'alarm'] as const).map((state) => (
          <li key={state} className={css.entry}>
            <Dot state={state} />
            {t(`home.state.${state}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}

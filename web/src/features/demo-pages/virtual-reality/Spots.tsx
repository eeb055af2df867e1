import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { ReadingText } from '@/ui/ReadingText';
import css from './Spots.module.css';
import { size, spots } from './scene';

/** The values of the instruments in the picture. */
export function Spots() {
  const { t } = useTranslation();
  return (
    <dl>
      {spots.map(({ name, x, y, rise, ...reading }) => {
        const place = {
          '--x': `${(x / size.width) * 100}%`,
          '--y': `${((y - rise) / size.height) * 100}%`,
          '--depth': name === 'air' ? 1 : 0.78,
        };
        return (
          <div key={name} className={css.spot} style={place as CSSProperties}>
            <dt className={css.name}>{t(`demo.reality.${name}`)}</dt>
            <dd className={css.value}>
              <ReadingText of={reading} unit={css.unit} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

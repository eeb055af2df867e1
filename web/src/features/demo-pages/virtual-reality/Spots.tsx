import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import css from './Spots.module.css';
import { size, spots } from './scene';

/** What the instruments in the picture say. */
export function Spots() {
  const { t } = useTranslation();
  const { value: parts } = useFormat();
  return (
    <dl>
      {spots.map(({ name, x, y, rise, ...reading }) => {
        const { text, unit } = parts(reading);
        const place = {
          '--x': `${(x / size.width) * 100}%`,
          '--y': `${((y - rise) / size.height) * 100}%`,
          '--depth': name === 'air' ? 1 : 0.78,
        };
        return (
          <div key={name} className={css.spot} style={place as CSSProperties}>
            <dt className={css.name}>{t(`demo.reality.${name}`)}</dt>
            <dd className={css.value}>
              {text}
              <span className={css.unit}>{unit}</span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

import { useTranslation } from 'react-i18next';
import type { MapQuantity } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { Select } from '@/ui/Select';
import css from './Quantity.module.css';
import { stepOf } from './ramp';
import { type ShownQuantity, stateOnly } from './useQuantity';

interface QuantityProps {
  quantities: readonly MapQuantity[];
  shown: ShownQuantity | undefined;
  onChoose: (identifier: string) => void;
}

/** The choice of what the map shows, and the colours of its values with their numbers. */
export function Quantity({ quantities, shown, onChoose }: QuantityProps) {
  const { t } = useTranslation();
  if (quantities.length === 0) return null;
  return (
    <div className={css.quantity}>
      <Select
        className={css.select}
        aria-label={t('home.map.quantity')}
        value={shown?.quantity.identifier ?? stateOnly}
        onChange={(event) => onChoose(event.target.value)}
      >
        {quantities.map(({ identifier, name, unit }) => (
          <option key={identifier} value={identifier}>
            {unit === '' ? name : t('home.map.quantityOf', { name, unit })}
          </option>
        ))}
        <option value={stateOnly}>{t('home.map.state')}</option>
      </Select>
      {shown?.scale ? <Ramp shown={shown} /> : null}
    </div>
  );
}

function Ramp({ shown: { quantity, scale } }: { shown: ShownQuantity }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!scale) return null;
  const { bounds } = scale;
  const decimals = decimalsOf(bounds);
  const words = bounds.map((bound) => format.number(bound, decimals));
  return (
    <div
      className={css.ramp}
      role="img"
      aria-label={`${t('home.map.ramp', { name: quantity.name })}: ${words.join(', ')}`}
    >
      <div className={css.steps}>
        {bounds.slice(0, -1).map((bound) => (
          <span key={bound} style={{ background: `var(--ramp-${stepOf(scale, bound)})` }} />
        ))}
      </div>
      <div className={css.bounds}>
        {words.map((word, i) => (
          <span key={bounds[i]}>{word}</span>
        ))}
      </div>
    </div>
  );
}

/** As many decimals as tell the bounds apart. */
function decimalsOf(bounds: readonly number[]): number {
  return Math.max(...bounds.map((bound) => (String(bound).split('.')[1] ?? '').length));
}

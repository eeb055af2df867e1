import { useTranslation } from 'react-i18next';
import { Furrows } from '../Furrows';
import css from './BankCard.module.css';
import { card } from './sample';

export function BankCard() {
  const { t } = useTranslation();
  return (
    <div className={css.card}>
      <Furrows className={css.lines} />
      <span className={css.chip} aria-hidden="true" />
      <p className={css.digits}>
        <span aria-hidden="true">•••• •••• •••• </span>
        {card.digits}
      </p>
      <p className={css.expires}>{t('demo.billing.expires', { date: card.expires })}</p>
    </div>
  );
}

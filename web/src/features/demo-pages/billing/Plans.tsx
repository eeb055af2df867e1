import CheckCircleOutlined from '@ant-design/icons/CheckCircleOutlined';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Chip } from '@/ui/Chip';
import css from './Plans.module.css';
import { current, plans } from './sample';
import { useMoney } from './useMoney';

export function Plans() {
  const { t } = useTranslation();
  const { number } = useFormat();
  const money = useMoney();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={css.title}>
        {t('demo.billing.plans')}
      </h2>
      <ul className={css.plans}>
        {plans.map(({ name, price, ...holds }) => (
          <li key={name} className={`${css.plan} ${name === current ? css.current : ''}`}>
            <div className={css.head}>
              <h3 className={css.name}>{t(`demo.billing.${name}`)}</h3>
              {name === current ? (
                <Chip tone="ok" icon={<CheckCircleOutlined />}>
                  {t('demo.billing.current')}
                </Chip>
              ) : null}
            </div>
            <p className={css.price}>{t('demo.billing.perMonth', { price: money(price, true) })}</p>
            <dl className={css.holds}>
              {(['devices', 'sms', 'history'] as const).map((what) => (
                <div key={what}>
                  <dt>{t(`demo.billing.${what}`)}</dt>
                  <dd>{number(holds[what])}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

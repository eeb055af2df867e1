import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { formatDay } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { PageTitle } from '@/ui/PageTitle';
import { Bar } from '../Bar';
import { DemoBanner } from '../DemoBanner';
import { Panel } from '../Panel';
import { BankCard } from './BankCard';
import css from './BillingPage.module.css';
import { Invoices } from './Invoices';
import { Plans } from './Plans';
import { current, invoicesAround, plans, used } from './sample';
import { useMoney } from './useMoney';

/** A demo page: what an account with a plan and invoices could look like. */
export function BillingPage() {
  const { t } = useTranslation();
  const { number, language } = useFormat();
  const money = useMoney();
  const [invoices] = useState(() => invoicesAround(now()));
  const plan = plans.find(({ name }) => name === current);
  const next = invoices.find(({ paid }) => !paid);

  return (
    <div className={css.page}>
      <PageTitle title={t('demo.billing.title')} />
      <DemoBanner />
      <div className={css.upper}>
        {plan ? (
          <Panel title={t('demo.billing.plan')} className={css.plan}>
            <p className={css.big}>{t(`demo.billing.${plan.name}`)}</p>
            <p className={css.note}>{t('demo.billing.perMonth', { price: money(plan.price, true) })}</p>
            <dl className={css.usage}>
              {(['devices', 'sms', 'history'] as const).map((what) => (
                <div key={what}>
                  <dt>{t(`demo.billing.${what}`)}</dt>
                  <dd>{t('demo.billing.used', { used: number(used[what]), all: number(plan[what]) })}</dd>
                  <Bar share={used[what] / plan[what]} />
                </div>
              ))}
            </dl>
          </Panel>
        ) : null}
        {plan && next ? (
          <Panel title={t('demo.billing.next')}>
            <p className={css.big}>{money(next.amount)}</p>
            {/* With its year, whichever year it is. */}
            <p className={css.note}>{t('demo.billing.due', { date: formatDay(next.date, 0, language) })}</p>
            <dl className={css.sum}>
              <dt>{t(`demo.billing.${plan.name}`)}</dt>
              <dd>{money(plan.price)}</dd>
              <dt>{t('demo.billing.sms')}</dt>
              <dd>{money(next.amount - plan.price)}</dd>
            </dl>
          </Panel>
        ) : null}
        <Panel title={t('demo.billing.payment')}>
          <BankCard />
        </Panel>
      </div>
      <Plans />
      <Invoices invoices={invoices} />
    </div>
  );
}

import CheckCircleOutlined from '@ant-design/icons/CheckCircleOutlined';
import HourglassOutlined from '@ant-design/icons/HourglassOutlined';
import { useTranslation } from 'react-i18next';
import { formatDay } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { Chip } from '@/ui/Chip';
import { Panel } from '../Panel';
import { SampleTable } from '../SampleTable';
import css from './BillingPage.module.css';
import type { Invoice } from './sample';
import { useMoney } from './useMoney';

export function Invoices({ invoices }: { invoices: readonly Invoice[] }) {
  const { t } = useTranslation();
  const { language } = useFormat();
  const money = useMoney();
  return (
    <Panel title={t('demo.billing.invoices')} flush>
      <SampleTable<Invoice>
        rows={invoices}
        rowKey={({ number }) => number}
        columns={[
          {
            key: 'number',
            title: t('demo.billing.number'),
            cell: ({ number }) => <span className={css.number}>{number}</span>,
          },
          {
            key: 'date',
            title: t('demo.billing.date'),
            // With its year, whichever year it is.
            cell: ({ date }) => <span className={css.figures}>{formatDay(date, 0, language)}</span>,
          },
          { key: 'status', title: t('demo.billing.status'), cell: ({ paid }) => <Status paid={paid} /> },
          {
            key: 'amount',
            title: t('demo.billing.amount'),
            figure: true,
            cell: ({ amount }) => <span className={css.amount}>{money(amount)}</span>,
          },
        ]}
      />
    </Panel>
  );
}

function Status({ paid }: { paid: boolean }) {
  const { t } = useTranslation();
  return paid ? (
    <Chip tone="ok" icon={<CheckCircleOutlined />}>
      {t('demo.billing.paid')}
    </Chip>
  ) : (
    <Chip tone="warn" icon={<HourglassOutlined />}>
      {t('demo.billing.open')}
    </Chip>
  );
}

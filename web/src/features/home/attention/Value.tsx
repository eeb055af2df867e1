import ArrowDownOutlined from '@ant-design/icons/ArrowDownOutlined';
import ArrowUpOutlined from '@ant-design/icons/ArrowUpOutlined';
import MinusOutlined from '@ant-design/icons/MinusOutlined';
import { useTranslation } from 'react-i18next';
import { comparators } from '@/lib/alarm/comparator';
import { useFormat } from '@/lib/format/format';
import { ReadingText } from '@/ui/ReadingText';
import type { AttentionItem } from './queries';
import css from './Value.module.css';

const trendIcons = { rising: ArrowUpOutlined, falling: ArrowDownOutlined, steady: MinusOutlined } as const;

/** The newest value, which way it went since the alarm began, and the limit. */
export function Value({ item: { reading, limit, trend, cause } }: { item: AttentionItem }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (cause) return <Cause cause={cause} />;
  if (!limit) return <span className={css.value} />;
  const limitReading = { value: limit.value, unit: reading?.unit ?? '' };
  const bound = format
    .pieces(limitReading)
    .map(({ text }) => text)
    .join('');
  const Icon = trend && trendIcons[trend];
  return (
    <span className={css.value}>
      <span className={css.newest}>
        <b className={css.number} title={reading ? `${reading.name} · ${format.absolute(reading.time)}` : undefined}>
          <ReadingText of={reading} unit={css.unit} />
        </b>
        {Icon ? (
          <span className={css.trend}>
            <Icon aria-hidden="true" /> {t(`home.attention.trend.${trend}`)}
          </span>
        ) : null}
      </span>
      <span className={css.limit}>
        {t('home.attention.limit', { limit: `${comparators[limit.subconditions].symbol}\u00a0${bound}` })}
      </span>
    </span>
  );
}

/** Why a device is silent, in a few words; its page has the evidence. */
function Cause({ cause: { kind, value, unit = '', precision } }: { cause: NonNullable<AttentionItem['cause']> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const low = value === undefined ? undefined : { value, unit, precision };
  const words = t(`home.attention.cause.${kind}`, {
    value: format
      .pieces(low)
      .map(({ text }) => text)
      .join(''),
  });
  return <span className={`${css.value} ${css.cause}`}>{words}</span>;
}

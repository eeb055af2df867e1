import ArrowDownOutlined from '@ant-design/icons/ArrowDownOutlined';
import ArrowUpOutlined from '@ant-design/icons/ArrowUpOutlined';
import { useTranslation } from 'react-i18next';
import { comparators } from '@/lib/alarm/comparator';
import { useFormat } from '@/lib/format/format';
import { ReadingText } from '@/ui/ReadingText';
import type { AttentionItem } from './queries';
import css from './Value.module.css';

const hourMs = 3_600_000;

interface TrendProps {
  trend: NonNullable<AttentionItem['trend']>;
  reading: NonNullable<AttentionItem['reading']>;
}

/** The newest value, by how much it rose or fell over its span, and the limit. */
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
  return (
    <span className={css.value}>
      <span className={css.newest}>
        <b className={css.number} title={reading ? `${reading.name} · ${format.absolute(reading.time)}` : undefined}>
          <ReadingText of={reading} unit={css.unit} />
        </b>
        {trend && reading ? <Trend trend={trend} reading={reading} /> : null}
      </span>
      <span className={css.limit}>
        {t('home.attention.limit', { limit: `${comparators[limit.subconditions].symbol}\u00a0${bound}` })}
      </span>
    </span>
  );
}

function Trend({ trend: { change, span }, reading: { unit, precision } }: TrendProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const rises = change > 0;
  const Icon = rises ? ArrowUpOutlined : ArrowDownOutlined;
  return (
    <span className={css.trend}>
      <Icon aria-hidden="true" />{' '}
      {t(rises ? 'home.attention.trend.rising' : 'home.attention.trend.falling', {
        change: `${rises ? '+' : ''}${format.reading({ value: change, unit, precision })}`,
        span: t('format.age.hours', { value: span / hourMs }),
      })}
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

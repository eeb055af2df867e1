import DownOutlined from '@ant-design/icons/DownOutlined';
import UpOutlined from '@ant-design/icons/UpOutlined';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { windowText } from '@/lib/alarm/sentence';
import { mayCoverMany } from '@/lib/alarm/targets';
import type { Rehearsal as Rehearsed } from '@/lib/alarm/types';
import { useDeliveryReach } from '@/lib/channel/deliveryReach';
import { useFormat } from '@/lib/format/format';
import { numberText, parseNumber } from '@/lib/format/typedNumber';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { errorText } from '@/lib/http/errorText';
import { ErrorNote } from '@/ui/ErrorNote';
import { Note } from '@/ui/Note';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { ZoneNote } from '@/ui/ZoneNote';
import { titleOf } from '../form/ConditionRow';
import { readingsThatFit } from '../form/readingsThatFit';
import type { RuleFormState } from '../form/useRuleForm';
import { rehearsalBody } from '../form/values';
import { Advice } from './Advice';
import { DayChart } from './DayChart';
import { FleetRehearsal } from './FleetRehearsal';
import { NoticeList } from './NoticeList';
import css from './Rehearsal.module.css';
import { rehearsalReadiness } from './readiness';
import { longestOf } from './summary';
import { useRehearsal } from './useRehearsal';
import { useToldText } from './useToldText';

/** What the rule in the form would have done with the real readings of the last thirty days. */
export function Rehearsal({ form }: { form: RuleFormState }) {
  return mayCoverMany(form.values.targets) ? <FleetRehearsal form={form} /> : <DeviceRehearsal form={form} />;
}

function DeviceRehearsal({ form }: { form: RuleFormState }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useMediaQuery(phoneQuery);
  const [open, setOpen] = useState(false);
  const { values, properties } = form;
  const { enough, hintKey } = rehearsalReadiness(form);
  const rehearsal = useRehearsal(enough ? rehearsalBody(values, properties ?? new Map()) : null);
  const { data } = rehearsal;
  const shown = rehearsal.isEnabled && enough ? data : undefined;
  const count = shown?.total ?? 0;
  // Missing data is not presented as if nothing had happened.
  const missingDataText = ({ samples, knownFrom }: Rehearsed, trigger: number | null) => {
    if (trigger === 0) return samples === 0 ? t('rule.rehearsal.noReadings') : undefined;
    return knownFrom === undefined ? t('rule.rehearsal.unknown') : undefined;
  };
  const title = shown && t('rule.rehearsal.would', { count, n: format.number(count) });
  const folded = isPhone && !open;

  let content: ReactNode = null;
  if (!enough) content = <p className={css.hint}>{t(`rule.rehearsal.${hintKey}`)}</p>;
  else if (rehearsal.isError) {
    content = (
      <ErrorNote
        title={t('rule.rehearsal.failed')}
        text={errorText(rehearsal.error)}
        onRetry={() => void rehearsal.refetch()}
        busy={rehearsal.isFetching}
      />
    );
  } else if (!shown) {
    content = (
      <Loading label={t('rule.rehearsal.busy')}>
        <div className={css.skeleton}>
          <Skeleton height={24} width="80%" />
          <Skeleton height={190} />
          <Skeleton height={90} />
        </div>
      </Loading>
    );
  } else content = <Figures rehearsal={shown} form={form} folded={folded} waiting={rehearsal.waiting} />;
  return (
    <section className={css.rehearsal} aria-label={t('rule.rehearsal.title')} aria-busy={rehearsal.waiting}>
      <h3 className={css.kicker}>{t('rule.rehearsal.title')}</h3>
      {shown ? <ZoneNote /> : null}
      {title && !rehearsal.isError ? (
        <p className={`${css.title} ${rehearsal.waiting ? css.waiting : ''}`} role="status">
          {missingDataText(shown, values.trigger) ?? title}
        </p>
      ) : null}
      {isPhone && shown ? (
        <button type="button" className={css.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('rule.rehearsal.list')}
          {open ? <UpOutlined aria-hidden="true" /> : <DownOutlined aria-hidden="true" />}
        </button>
      ) : null}
      {content}
    </section>
  );
}

interface FiguresProps {
  rehearsal: Rehearsed;
  form: RuleFormState;
  /** Show only the essentials. */
  folded: boolean;
  /** The figures are not of the form's current values. */
  waiting: boolean;
}

function Figures({ rehearsal, form, folded, waiting }: FiguresProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { values, properties, change } = form;
  const { notices, total, days, usualInterval, startTime, endTime, knownFrom } = rehearsal;
  const longest = longestOf(rehearsal);
  const notifiedCount = notices.filter((notice) => notice.told).length;
  const nights = notices.filter(({ night }) => night).length;
  // These are the form's current values, not those of the last request.
  const fit = usualInterval === undefined ? Number.POSITIVE_INFINITY : readingsThatFit(values.durations, usualInterval);
  const cannot = values.trigger === 0 && fit < values.hitCounts;

  const notifies = values.channels.length > 0;
  const reach = useDeliveryReach(values.channels) ?? 'out';
  const toldText = useToldText(values.channels);
  const sign = rehearsal.tslAttribute;
  const condition = values.trigger === 0 ? values.conditions.find((each) => each.sign === sign) : undefined;
  const property = sign === undefined ? undefined : properties?.get(sign);
  return (
    <>
      {cannot && usualInterval !== undefined ? (
        <div className={css.note}>
          <Note
            tone="warn"
            title={t('rule.outlook.cannot', {
              count: fit,
              n: format.number(fit),
              window: windowText(values.durations, 'full', format.language),
            })}
          >
            {t('rule.outlook.interval', { interval: format.interval(usualInterval) })}
          </Note>
        </div>
      ) : null}
      {notices.some(({ unsteady }) => unsteady) ? (
        <div className={css.note}>
          <Note
            tone="warn"
            title={t(values.trigger === 1 ? 'rule.rehearsal.unsteadyOfflineTitle' : 'rule.rehearsal.unsteadyTitle')}
          >
            {t(values.trigger === 1 ? 'rule.rehearsal.unsteadyOfflineText' : 'rule.rehearsal.unsteadyText')}
          </Note>
        </div>
      ) : null}
      <Advice advice={rehearsal.advice} form={form} waiting={waiting} />
      {folded ? null : (
        <>
          {longest ? (
            <p className={css.text}>
              {t('rule.rehearsal.longest', {
                duration: format.duration(longest.duration),
                moment: format.moment(longest.notice.startTime, endTime + 86_400_000),
              })}{' '}
              {toldText(notifiedCount, notices.length)}{' '}
              {nights > 0 ? t('rule.rehearsal.nights', { n: format.number(nights) }) : null}
            </p>
          ) : null}
          {knownFrom !== undefined && knownFrom > startTime ? (
            <p className={css.text}>
              {t('rule.rehearsal.knownSince', { moment: format.moment(knownFrom, endTime + 86_400_000) })}
            </p>
          ) : null}
          {days.length > 0 && condition && property ? (
            <DayChart
              rehearsal={rehearsal}
              limit={{
                name: titleOf(property),
                unit: property.elementUnit,
                precision: property.precision,
                leastSpan: property.leastSpan,
                operator: condition.operator,
                value: parseNumber(condition.value),
                onChange: (value) =>
                  change({
                    conditions: values.conditions.map((each) =>
                      each === condition ? { ...each, value: numberText(value, format.language) } : each,
                    ),
                  }),
              }}
            />
          ) : null}
          {total > 0 ? <NoticeList rehearsal={rehearsal} notifies={notifies} reach={reach} /> : null}
        </>
      )}
    </>
  );
}

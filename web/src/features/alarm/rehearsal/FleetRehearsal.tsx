import { useTranslation } from 'react-i18next';
import type { RehearsedDevice } from '@/lib/alarm/types';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import type { RuleFormState } from '../form/useRuleForm';
import { Advice } from './Advice';
import css from './FleetRehearsal.module.css';
import own from './Rehearsal.module.css';
import { devicesId } from './RehearsedDevices';
import { useFleetRehearsal } from './useFleetRehearsal';
import { useToldText } from './useToldText';

/** Of so many notices of a device the server says whether they would have been told, and were at night. */
const newestOfDevice = 500;

/**
 * What the rule in the form would have done on all its devices together. Below the form, each
 * device has a line of its own.
 */
export function FleetRehearsal({ form }: { form: RuleFormState }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { enough, hintKey, rehearsal, rows, of, total, all, finished } = useFleetRehearsal(form);

  const words = (n: number) => t('rule.rehearsal.would', { count: n, n: format.number(n) });
  const alarmed = rows.filter((row) => row.total > 0).length;
  const where = t('rule.rehearsal.all.where', { count: of, n: format.number(alarmed), all: format.number(of) });
  const toldText = useToldText(form.values.channels);
  const sum = (of: (row: RehearsedDevice) => number) => rows.reduce((all, row) => all + of(row), 0);
  // Of each device, its newest ones were looked at.
  const [told, nights] = [sum((row) => row.told), sum((row) => row.nights)];
  const counted = sum((row) => Math.min(row.total, newestOfDevice));
  const hasNoReadings = form.values.trigger === 0 && finished && rows.every(({ samples }) => samples === 0);
  const verdict = hasNoReadings ? t('rule.rehearsal.all.noReadings') : words(total);
  const failed = rehearsal.isError;
  const retry = { onRetry: () => void rehearsal.refetch(), busy: rehearsal.isFetching };
  return (
    <section className={own.rehearsal} aria-label={t('rule.rehearsal.title')} aria-busy={rehearsal.waiting}>
      <h3 className={own.kicker}>{t('rule.rehearsal.title')}</h3>
      {/* Screen readers announce only the final number, not each step of the count. */}
      <p className="visually-hidden" role="status">
        {finished && !rehearsal.waiting ? (
          <>
            <span>{verdict}</span> <span>{hasNoReadings ? '' : where}</span>
          </>
        ) : null}
      </p>
      {!enough ? <p className={own.hint}>{t(`rule.rehearsal.${hintKey}`)}</p> : null}
      {enough && rows.length === 0 && !failed ? (
        <Loading label={t('rule.rehearsal.busy')}>
          <div className={own.skeleton}>
            <Skeleton height={24} width="80%" />
            <Skeleton height={40} />
          </div>
        </Loading>
      ) : null}
      {enough && rows.length > 0 ? (
        <div className={rehearsal.isPlaceholderData ? own.waiting : undefined}>
          <p className={own.title}>{verdict}</p>
          {finished && !hasNoReadings ? (
            <p className={own.text}>
              {where} {counted > 0 ? toldText(told, counted) : null}{' '}
              {nights > 0 ? t('rule.rehearsal.nights', { n: format.number(nights) }) : null}
            </p>
          ) : null}
        </div>
      ) : null}
      {enough && rows.length > 0 && !finished && !failed ? <Progress done={rows.length} of={of} /> : null}
      {enough && failed ? (
        <ErrorNote
          title={t(rows.length > 0 ? 'rule.rehearsal.all.cut' : 'rule.rehearsal.failed')}
          text={
            rows.length > 0
              ? t('rule.rehearsal.all.cutText', { n: format.number(rows.length), all: format.number(of) })
              : errorText(rehearsal.error)
          }
          {...retry}
        />
      ) : null}
      {enough ? <Advice advice={all?.advice} form={form} waiting={rehearsal.waiting} /> : null}
      {enough && rows.length > 0 ? (
        <button type="button" className={css.jump} onClick={scrollToDevices}>
          {t('rule.rehearsal.all.jump')}
        </button>
      ) : null}
    </section>
  );
}

function scrollToDevices() {
  const place = document.getElementById(devicesId);
  place?.scrollIntoView?.({ block: 'start' });
  place?.focus({ preventScroll: true });
}

function Progress({ done, of }: { done: number; of: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const counted = t('rule.rehearsal.all.progress', { n: format.number(done), all: format.number(of) });
  return (
    <div className={css.progress}>
      <div
        className={css.bar}
        role="progressbar"
        aria-label={t('rule.rehearsal.busy')}
        aria-valuemin={0}
        aria-valuenow={done}
        aria-valuemax={of}
        aria-valuetext={counted}
      >
        <div className={css.done} style={{ width: `${(100 * done) / of}%` }} />
      </div>
      <span className={css.counted} aria-hidden="true">
        {done < of ? counted : t('rule.rehearsal.all.trying')}
      </span>
    </div>
  );
}

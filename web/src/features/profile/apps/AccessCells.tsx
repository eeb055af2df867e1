import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import css from './AccessCells.module.css';
import { daysLeft, isExpired, lastMoment } from './access';
import type { Credential } from './queries';

/** The role of the key and its scopes. */
export function Access({ role, scopes }: Pick<Credential, 'role' | 'scopes'>) {
  const { t } = useTranslation();
  const { list, capital } = useFormat();
  return (
    <span className={css.access}>
      <span>{t(`role.${role}`)}</span>
      <span className={css.scopes}>{capital(list(scopes.map((scope) => t(`app.scope.${scope}`))))}</span>
    </span>
  );
}

/** A key that expires within as many days is conspicuous. */
const soonDays = 14;

/** Until when the key is valid; that it will soon expire, or has expired and what this means. */
export function Expiry({ expiryTime }: Pick<Credential, 'expiryTime'>) {
  return expiryTime === undefined ? <Never /> : <Expires at={expiryTime} />;
}

function Never() {
  const { t } = useTranslation();
  return <span className={css.expiry}>{t('app.neverExpires')}</span>;
}

function Expires({ at }: { at: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const expired = useClock(useCallback((now: number) => isExpired(at, now), [at]));
  const left = useClock(useCallback((now: number) => daysLeft(at, now), [at]));
  const day = useClock(useCallback((now: number) => format.day(lastMoment(at), now), [format, at]));
  const title = format.absolute(at);
  if (expired) {
    return (
      <span className={css.expiry} title={title}>
        <span className={`${css.state} ${css.expired}`}>
          <ExclamationCircleOutlined aria-hidden="true" />
          {left === 0 ? t('app.expiredToday') : t('app.expiredAgo', { count: -left })}
        </span>
        <span className={css.meaning}>{t('app.expiredMeans')}</span>
      </span>
    );
  }
  if (left < soonDays) {
    return (
      <span className={css.expiry} title={title}>
        <span className={`${css.state} ${css.soon}`}>
          <ClockCircleOutlined aria-hidden="true" />
          {left === 0 ? t('app.expiresToday') : t('app.expiresIn', { count: left })}
        </span>
      </span>
    );
  }
  return (
    <span className={css.expiry} title={title}>
      {t('app.expires', { day })}
    </span>
  );
}

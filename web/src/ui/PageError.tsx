import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { retryMs } from '@/lib/device/queries';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { isNoAnswer } from '@/lib/http/http';
import { useOffline } from '@/lib/offline/reachability';
import { ErrorNote } from './ErrorNote';
import css from './PageError.module.css';

interface PageErrorProps {
  queries: readonly UseQueryResult<unknown>[];
  /** What is said of data that this device does not have, where a name for it is better than "this". */
  notKept?: string;
}

/**
 * Shows what failed, how old the data below is, and when the next attempt is. The data stays. The
 * banner above all pages reports a missing network; this note does so only if there is no data to
 * show.
 */
export function PageError({ queries, notKept }: PageErrorProps) {
  const { t } = useTranslation();
  const offline = useOffline();
  const failed = queries.filter(({ isError, error }) => isError && !(offline && isNoAnswer(error)));
  if (failed.length > 0) return <Note failed={failed} />;
  if (!queries.some(({ isError, data }) => isError && data === undefined)) return null;
  return (
    <div className={css.note}>
      <ErrorNote title={notKept ?? t('offline.nothing')} text={t('offline.nothingText')} />
    </div>
  );
}

function Note({ failed }: { failed: readonly UseQueryResult<unknown>[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  useNow();
  const { error } = failed[0] ?? {};
  const silent = isNoAnswer(error);
  // The query's times are by this machine's clock, unlike the server's times.
  const now = Date.now();
  const oldest = Math.min(...failed.map(({ dataUpdatedAt }) => dataUpdatedAt));
  const next = Math.min(...failed.map(({ errorUpdatedAt }) => errorUpdatedAt)) + retryMs;
  const seconds = Math.max(1, Math.ceil((next - now) / 1000));
  const busy = failed.some(({ isFetching }) => isFetching);
  const age =
    oldest > 0 ? t('home.error.asOf', { time: format.moment(oldest, now), age: format.ago(oldest, now) }) : '';
  const again = busy ? '' : t('home.error.again', { seconds });
  return (
    <div className={css.note}>
      <ErrorNote
        title={silent ? t('home.error.silent') : errorText(error)}
        text={[age, again].filter(Boolean).join(' ')}
        onRetry={() => {
          for (const query of failed) void query.refetch();
        }}
        busy={busy}
      />
    </div>
  );
}

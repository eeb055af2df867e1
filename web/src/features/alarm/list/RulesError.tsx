import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { retryMs } from '@/lib/device/queries';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { ErrorNote } from '@/ui/ErrorNote';
import css from './RulesError.module.css';

/**
 * What failed, as of when the rules below are, and when the next attempt is. The rules stay
 * visible.
 */
export function RulesError({ query }: { query: UseQueryResult<unknown> }) {
  return query.isError ? <Note query={query} /> : null;
}

function Note({ query }: { query: UseQueryResult<unknown> }) {
  const { t } = useTranslation();
  const format = useFormat();
  useNow();
  // The query's two times are of this machine's clock, unlike the server's times.
  const now = Date.now();
  const { dataUpdatedAt, errorUpdatedAt, isFetching } = query;
  const seconds = Math.max(1, Math.ceil((errorUpdatedAt + retryMs - now) / 1000));
  const asOf = dataUpdatedAt > 0 ? t('rule.asOf', { time: format.moment(dataUpdatedAt, now) }) : t('rule.failed');
  return (
    <div className={css.note}>
      <ErrorNote
        title={errorText(query.error)}
        text={isFetching ? asOf : `${asOf} ${t('home.error.again', { seconds })}`}
        onRetry={() => void query.refetch()}
        busy={isFetching}
      />
    </div>
  );
}

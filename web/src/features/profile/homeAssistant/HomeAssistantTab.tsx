import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import tabHead from '../tabHead.module.css';
import { Connection } from './Connection';
import { HomeAssistantForm } from './HomeAssistantForm';
import css from './HomeAssistantTab.module.css';
import { homeAssistantQuery } from './queries';

/** How the tenant's devices get into Home Assistant, and whether they do. */
export function HomeAssistantTab() {
  const { t } = useTranslation();
  const { data, ...query } = useQuery(homeAssistantQuery());
  return (
    <>
      <div className={tabHead.head}>
        <p className={tabHead.what}>{t('homeAssistant.what')}</p>
      </div>
      {query.isError ? (
        <div className={css.error}>
          <ErrorNote
            title={t('homeAssistant.loadFail')}
            text={errorText(query.error)}
            onRetry={() => query.refetch()}
            busy={query.isFetching}
          />
        </div>
      ) : null}
      {query.isPending ? (
        <Loading>
          <div className={css.waiting}>
            <Skeleton height={56} />
            <Skeleton height={240} />
          </div>
        </Loading>
      ) : null}
      {data ? (
        <>
          <Connection of={data} />
          <HomeAssistantForm stored={data} />
        </>
      ) : null}
    </>
  );
}

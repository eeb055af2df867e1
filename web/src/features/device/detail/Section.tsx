import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './Section.module.css';

interface SectionProps {
  title: string;
  /** At the right end of the header. */
  aside?: ReactNode;
  children: ReactNode;
}

/** One section of a device's sheet. */
export function Section({ title, aside, children }: SectionProps) {
  return (
    <section className={css.section} aria-label={title}>
      <header className={css.head}>
        <h3 className={css.title}>{title}</h3>
        {aside}
      </header>
      {children}
    </section>
  );
}

interface FetchedProps {
  query: Pick<UseQueryResult, 'isError' | 'isPending' | 'isFetching' | 'error'> & { refetch: () => unknown };
  /** The height of the expected content, in pixels. */
  height: number;
  children: ReactNode;
}

/**
 * A failure is shown above the previous data; until the first answer a placeholder keeps its room.
 */
export function Fetched({ query, height, children }: FetchedProps) {
  const { t } = useTranslation();
  return (
    <>
      {query.isError ? (
        <div className={css.error}>
          <ErrorNote
            title={t('device.detail.loadFail')}
            text={errorText(query.error)}
            onRetry={() => void query.refetch()}
            busy={query.isFetching}
          />
        </div>
      ) : null}
      {query.isPending && !query.isError ? (
        <Loading>
          <Skeleton height={height} radius={8} />
        </Loading>
      ) : null}
      {children}
    </>
  );
}

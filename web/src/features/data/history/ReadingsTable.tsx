import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/format/date';
import { missingValue, useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import type { Attribute } from './attributes';
import { readingText } from './figures';
import { rowsQuery } from './queries';
import css from './ReadingsTable.module.css';
import type { Span } from './range';
import { joinRows } from './rows';
import { useSize } from './useSize';
import { rowsInView } from './virtualRows';

interface ReadingsTableProps {
  deviceName: string;
  range: Span;
  attributes: readonly Attribute[];
  raw: boolean;
  /** The comparison; null for none. */
  other: { deviceName: string; range: Span; shift: number; title: string; attributes: readonly Attribute[] } | null;
}

const rowHeight = 36;

/** Every reading of the range by its time. Only the rows in view are rendered. */
export function ReadingsTable({ deviceName, range, attributes, raw, other }: ReadingsTableProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [frame, { height }] = useSize();
  const [top, setTop] = useState(0);
  const own = useQuery({
    ...rowsQuery({ deviceName, ids: attributes.map(({ id }) => id), ...range, raw }),
    enabled: attributes.length > 0,
  });
  const theirs = other?.attributes ?? [];
  const beyond = useQuery({
    ...rowsQuery({
      deviceName: other?.deviceName ?? '',
      ids: theirs.map(({ id }) => id),
      ...(other?.range ?? range),
      raw,
    }),
    enabled: theirs.length > 0,
  });
  const shift = other?.shift ?? 0;
  const both = useMemo(
    () => (theirs.length > 0 && own.data && beyond.data ? joinRows(own.data, beyond.data, shift) : null),
    [theirs.length, own.data, beyond.data, shift],
  );
  const data = theirs.length > 0 ? both : own.data;
  const queries = theirs.length > 0 ? [own, beyond] : [own];
  const error = queries.find((query) => query.error)?.error;
  const count = data?.times.length ?? 0;
  const columns = 1 + attributes.length + theirs.length;
  const { from, to } = rowsInView(count, rowHeight, top, height);
  return (
    <div className={css.place}>
      {error ? (
        <ErrorNote
          title={t('history.tableFailed')}
          text={errorText(error)}
          onRetry={() => {
            for (const query of queries) if (query.isError) void query.refetch();
          }}
          busy={queries.some(({ isFetching }) => isFetching)}
        />
      ) : null}
      <section
        ref={frame}
        className={css.frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable table must be reachable by keyboard
        tabIndex={0}
        aria-label={t('history.table')}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        {data && count > 0 ? (
          <table className={css.table} aria-rowcount={count + 1}>
            <thead>
              <tr aria-rowindex={1}>
                <th scope="col">{t('history.time')}</th>
                {attributes.map((attribute) => (
                  <th key={attribute.id} scope="col">
                    {attribute.name}
                  </th>
                ))}
                {theirs.map((attribute) => (
                  <th key={attribute.id} scope="col">
                    {attribute.name} · {other?.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <Space rows={from} columns={columns} />
              {Array.from({ length: to - from }, (_, index) => {
                const row = from + index;
                const time = data.times[row] ?? 0;
                return (
                  <tr key={row} aria-rowindex={row + 2} style={{ height: rowHeight }}>
                    <th scope="row">{formatDateTime(time, format.language, 'seconds')}</th>
                    {attributes.map((attribute) => (
                      <Value key={attribute.id} attribute={attribute} value={data.at(attribute.id, row)} />
                    ))}
                    {theirs.map((attribute) => (
                      <Value key={attribute.id} attribute={attribute} value={both?.other(attribute.id, row)} />
                    ))}
                  </tr>
                );
              })}
              <Space rows={count - to} columns={columns} />
            </tbody>
          </table>
        ) : data ? (
          <Empty title={t('common.empty')} text={t('history.emptyText')} level={3} />
        ) : error ? null : (
          <Loading>
            <div className={css.bars}>
              {[0, 1, 2, 3, 4, 5, 6, 7].map((bar) => (
                <Skeleton key={bar} height={20} />
              ))}
            </div>
          </Loading>
        )}
      </section>
    </div>
  );
}

function Value({ attribute, value }: { attribute: Attribute; value: number | boolean | string | undefined }) {
  const format = useFormat();
  return <td>{value === undefined ? missingValue : readingText(attribute, value, format)}</td>;
}

/** Takes the place of rows that are not rendered. */
function Space({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr>
      <td colSpan={columns} style={{ height: rows * rowHeight, padding: 0, border: 0 }} />
    </tr>
  );
}

import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatDateTime } from '@/lib/format/date';
import { type Format, useFormat } from '@/lib/format/format';
import { lastPage, pageSizes } from '@/lib/http/paging';
import { Empty } from '@/ui/Empty';
import { Pager } from '@/ui/Pager';
import type { Axis, Column } from '../data/column';
import type { LineResolution } from '../data/line';
import css from './AnalysisTable.module.css';
import { type CellText, cellText, figuresOf } from './figures';
import { sortedColumns } from './sortedColumns';
import { finestResolution, timelineOf, valueAt } from './timeline';

interface AnalysisTableProps {
  columns: readonly Column[];
  axis: Axis;
}

/** All lines of the page as one table by time, the newest first, page by page. */
export function AnalysisTable({ columns: given, axis }: AnalysisTableProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const frame = useRef<HTMLElement>(null);
  const [pageSize, setPageSize] = useState<number>(pageSizes[1]);
  const [wantedPage, setWantedPage] = useState(1);
  const { columns, timeline } = useMemo(() => {
    const sorted = sortedColumns(given);
    return { columns: sorted, timeline: timelineOf(sorted.map(({ line }) => line)) };
  }, [given]);
  const total = timeline.times.length;
  if (total === 0) return <Empty title={t('analysis.table.empty')} text={t('analysis.table.emptyText')} level={3} />;
  // Another choice may have fewer rows.
  const pageNo = Math.min(wantedPage, lastPage(total, pageSize));
  const newest = total - 1 - (pageNo - 1) * pageSize;
  const rows = Array.from({ length: Math.min(pageSize, newest + 1) }, (_, index) => newest - index);
  const resolution = finestResolution(columns);
  return (
    <div className={css.place}>
      <section
        ref={frame}
        className={css.frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable table must be reachable by keyboard
        tabIndex={0}
        aria-label={t('analysis.table.title')}
      >
        <table className={css.table} aria-rowcount={total + 2}>
          <Head columns={columns} axis={axis} />
          <tbody>
            {rows.map((row, index) => (
              <tr key={row} aria-rowindex={(pageNo - 1) * pageSize + index + 3}>
                <th scope="row" className={css.time}>
                  {timeText(timeline.times[row] ?? 0, axis, resolution, format)}
                </th>
                {columns.map((column, at) => (
                  <td key={column.key}>
                    <Figures text={cellText(column, valueAt(timeline, columns, at, row), format)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Pager
        total={total}
        pageNo={pageNo}
        pageSize={pageSize}
        onChange={(no, size) => {
          setWantedPage(no);
          setPageSize(size);
          if (frame.current) frame.current.scrollTop = 0;
        }}
      />
    </div>
  );
}

/** The devices, each over its columns; below them the properties with their units. */
function Head({ columns, axis }: AnalysisTableProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" rowSpan={2} className={css.time}>
          {t(axis === 'degreeDays' ? 'analysis.table.degreeDays' : 'analysis.table.time')}
        </th>
        {devicesOf(columns).map(({ key, device, color, span }) => (
          <th key={key} scope="colgroup" colSpan={span} className={css.device}>
            <span className={css.deviceName}>
              <span className={css.color} style={{ background: `var(--c${color + 1})` }} aria-hidden="true" />
              {device}
            </span>
          </th>
        ))}
      </tr>
      <tr aria-rowindex={2}>
        {columns.map((column) => (
          <th key={column.key} scope="col">
            {column.name}{' '}
            <span className={css.small}>
              {figuresOf(column) === 'onTime' ? t('analysis.table.onTime') : format.unit(column.unit)}
            </span>
            {column.compared ? <span className={css.compared}>{t('analysis.table.yearBefore')}</span> : null}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Figures({ text: { value, low, high } }: { text: CellText }) {
  const { t } = useTranslation();
  return (
    <>
      {value}
      {low === undefined ? null : (
        <>
          {' '}
          <span className={css.small}>{t('analysis.table.lowToHigh', { low, high })}</span>
        </>
      )}
    </>
  );
}

/** Columns of the same device beside each other share its header. */
function devicesOf(columns: readonly Column[]) {
  const devices: { key: string; deviceName: string; device: string; color: number; span: number }[] = [];
  for (const { key, deviceName, device, color } of columns) {
    const last = devices.at(-1);
    if (last?.deviceName === deviceName) last.span += 1;
    else devices.push({ key, deviceName, device, color, span: 1 });
  }
  return devices;
}

function timeText(time: number, axis: Axis, resolution: LineResolution, format: Format): string {
  if (axis === 'degreeDays') return format.number(time, 1);
  if (resolution === 'day') return formatDate(time, format.language);
  return formatDateTime(time, format.language, resolution === 'raw' ? 'seconds' : 'minutes');
}

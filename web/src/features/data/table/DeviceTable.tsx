import type { UseQueryResult } from '@tanstack/react-query';
import { type CSSProperties, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { PageError } from '@/ui/PageError';
import { Skeleton } from '@/ui/Skeleton';
import { GroupHead } from '../grid/GroupHead';
import type { GridContent } from '../grid/sections';
import { useSensors } from '../grid/useSensors';
import { DeviceRow } from './DeviceRow';
import css from './DeviceTable.module.css';
import { inBlocks, rowWindow } from './rowWindow';
import { TableHead } from './TableHead';
import { blocksOf, type Order } from './tableSections';
import { useColumns } from './useColumns';
import { useDayLines } from './useDayLines';
import { useRowScroll } from './useRowScroll';

const measures = { desktop: { row: 44, head: 44 }, phone: { row: 56, head: 76 } };
/** How many rows are rendered above and below those in view. */
const overscan = 6;
const noContent: GridContent = { groups: [], videos: [], sections: [], sensors: 0 };

export interface DeviceTableProps {
  /** Undefined until the page knows which devices there are. */
  content: GridContent | undefined;
  failed: readonly UseQueryResult<unknown>[];
  order: Order | undefined;
  onOrder: (order: Order | undefined) => void;
  /** All rows in one list, not by scene. */
  flat: boolean;
  /** Nothing is ticked, so all devices are shown. */
  everything: boolean;
  folded: ReadonlySet<number>;
  onFold: (id: number) => void;
}

/**
 * Devices by quantities, with the latest value and the line of its day in each cell. Renders only
 * the rows in view and a few more, and fetches only their devices and lines.
 */
export function DeviceTable(props: DeviceTableProps) {
  const { content = noContent, failed, order, onOrder, flat, everything, folded, onFold } = props;
  const { t } = useTranslation();
  const frame = useRef<HTMLElement>(null);
  const sizes = useMediaQuery(phoneQuery) ? measures.phone : measures.desktop;
  const { top, bottom } = useRowScroll(frame, sizes.row);
  const blocks = useMemo(
    () =>
      blocksOf(content, { order, flat, everything }).map((block) =>
        block.shown && folded.has(block.shown.group.id)
          ? { ...block, section: { kind: 'list' as const, key: block.key, count: 0, devices: [] } }
          : block,
      ),
    [content, order, flat, everything, folded],
  );
  const shown = useMemo(
    () => rowWindow(blocks, top - overscan * sizes.row, bottom + overscan * sizes.row, sizes),
    [blocks, top, bottom, sizes],
  );
  const sections = useMemo(() => blocks.map(({ section }) => section), [blocks]);
  const total = sections.reduce((sum, { count }) => sum + count, 0);
  const { from, to } = inBlocks(shown.devices, total);
  const span = useMemo(() => ({ from, to }), [from, to]);
  const { slots, failed: missing } = useSensors(sections, span);
  const byIndex = useMemo(() => new Map(slots.map(({ index, device }) => [index, device])), [slots]);
  const known = useKnownDevices(content, slots);
  const { columns, pending, failed: unknown } = useColumns(known);
  const lineOf = useDayLines(slots, columns);
  const loading = props.content === undefined || (pending && columns.length === 0);

  return (
    <>
      <PageError queries={[...failed, ...missing, ...unknown]} />
      <section
        ref={frame}
        className={css.frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable table must be reachable by keyboard
        tabIndex={0}
        aria-label={t('data.table.label')}
        aria-busy={loading}
      >
        {loading ? (
          <div className={css.loading}>
            {[1, 2, 3, 4, 5, 6, 7, 8].map((n) => (
              <Skeleton key={n} height={20} width="100%" />
            ))}
          </div>
        ) : (
          <table
            className={css.table}
            style={{ '--columns': columns.length } as CSSProperties}
            aria-rowcount={shown.count + 1}
            aria-colcount={columns.length + 1}
          >
            <TableHead columns={columns} order={order} onOrder={onOrder} />
            <tbody>
              <Spacer height={shown.before} columns={columns.length + 1} />
              {shown.rows.map((row) =>
                row.kind === 'device' ? (
                  <DeviceRow
                    key={byIndex.get(row.at)?.deviceName ?? `row-${row.at}`}
                    device={byIndex.get(row.at)}
                    columns={columns}
                    lineOf={lineOf}
                    rowIndex={row.index + 2}
                  />
                ) : row.block.shown ? (
                  <tr key={`head-${row.block.key}`} className={css.group} aria-rowindex={row.index + 2}>
                    <th scope="rowgroup" colSpan={columns.length + 1}>
                      <div className={css.groupHead}>
                        <GroupHead
                          group={row.block.shown.group}
                          count={row.block.shown.section?.count ?? 0}
                          folded={folded.has(row.block.shown.group.id)}
                          onFold={onFold}
                        />
                      </div>
                    </th>
                  </tr>
                ) : null,
              )}
              <Spacer height={shown.after} columns={columns.length + 1} />
            </tbody>
          </table>
        )}
      </section>
    </>
  );
}

/** In place of the rows that are not rendered. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  return height <= 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row is not focusable
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

/** The devices from which the columns are known: the first of each group, and those in view. */
function useKnownDevices(content: GridContent, slots: readonly { device: Device | undefined }[]): Device[] {
  return useMemo(
    () => [
      ...content.groups.flatMap(({ section }) => (section?.kind === 'list' ? section.devices : (section?.first ?? []))),
      ...slots.flatMap(({ device }) => device ?? []),
    ],
    [content, slots],
  );
}

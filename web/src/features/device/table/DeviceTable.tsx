import { type MouseEvent, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Loading, Skeleton } from '@/ui/Skeleton';
import type { SortColumn } from '../search';
import { columns } from './columns';
import css from './DeviceTable.module.css';
import { useDensity } from './density';
import { Head } from './Head';
import { Row } from './Row';
import { skeletonRows } from './skeletonRows';

interface DeviceTableProps {
  /** Undefined until they are fetched. */
  devices: readonly Device[] | undefined;
  /** How many placeholder rows to show until then. */
  expected: number;
  selected: string | undefined;
  /** A click on a row opens the form instead of the details. */
  opensForm: boolean;
  sort: SortColumn | undefined;
  descending: boolean;
  onSort: (column: SortColumn) => void;
  onOpen: (deviceName: string, edit: boolean) => void;
}

export function DeviceTable({ devices, expected, selected, opensForm, sort, descending, ...on }: DeviceTableProps) {
  const { t } = useTranslation();
  const { compact } = useDensity();
  const lacking = columns
    .filter(({ sort: by, has }) => has && devices && sort !== by && !devices.some(has))
    .map(({ name }) => name)
    .join();
  // The rows are memoized: they get another list only if other columns are shown.
  const shown = useMemo(() => columns.filter(({ name }) => !lacking.split(',').includes(name)), [lacking]);
  const looks = [css.table, compact ? css.compact : '', shown.some(({ has }) => has) ? '' : css.roomy];

  /**
   * A click anywhere in the row opens it like a click on its name, unless the user selects text or
   * clicks a link.
   */
  const onRow = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>('[data-row]')?.dataset.row;
    if (row === undefined || target.closest('a, button') || window.getSelection()?.isCollapsed === false) return;
    on.onOpen(row, opensForm);
  };
  return (
    <table className={looks.filter(Boolean).join(' ')} aria-label={t('home.list.title')}>
      <colgroup>
        <col />
        {shown.map(({ name, width }) => (
          <col key={name} className={`${width ?? ''} ${css[name] ?? ''}`} />
        ))}
        <col className={`${css.wAction} ${css.action}`} />
      </colgroup>
      <Head columns={shown} sort={sort} descending={descending} onSort={on.onSort} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the link in the row */}
      <tbody onClick={onRow}>
        {devices
          ? devices.map((device) => (
              <Row
                key={device.id}
                device={device}
                columns={shown}
                selected={device.deviceName === selected}
                opensForm={opensForm}
                onOpen={on.onOpen}
              />
            ))
          : skeletonRows(expected).map((row) => <SkeletonRow key={row} first={row === 0} />)}
      </tbody>
    </table>
  );
}

function SkeletonRow({ first }: { first: boolean }) {
  const bar = <Skeleton height={14} width="70%" />;
  return (
    <tr>
      <td>{first ? <Loading>{bar}</Loading> : bar}</td>
      {columns.map(({ name }) => (
        <td key={name} className={css[name]}>
          {bar}
        </td>
      ))}
      <td className={css.action}>{bar}</td>
    </tr>
  );
}

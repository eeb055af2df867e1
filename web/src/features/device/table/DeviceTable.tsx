import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Loading, Skeleton } from '@/ui/Skeleton';
import type { SortColumn } from '../search';
import { healthReading } from './cells';
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
  // A column in which no row has anything gives its room to the others, unless it is the order's.
  const lacks = (column: 'battery' | 'signal') =>
    devices !== undefined && sort !== column && devices.every((device) => !healthReading(device, column));
  const looks = [
    css.table,
    compact ? css.compact : '',
    lacks('battery') ? css.noBattery : '',
    lacks('signal') ? css.noSignal : '',
  ];

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
        <col className={`${css.wCode} ${css.code}`} />
        <col className={`${css.wModel} ${css.model}`} />
        <col className={`${css.wScene} ${css.scene}`} />
        <col className={`${css.wPosition} ${css.position}`} />
        <col className={css.wState} />
        <col className={`${css.wContact} ${css.contact}`} />
        <col className={`${css.wHealth} ${css.battery}`} />
        <col className={`${css.wHealth} ${css.signal}`} />
        <col className={css.wLatest} />
        <col className={`${css.wAction} ${css.action}`} />
      </colgroup>
      <Head sort={sort} descending={descending} onSort={on.onSort} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the link in the row */}
      <tbody onClick={onRow}>
        {devices
          ? devices.map((device) => (
              <Row
                key={device.id}
                device={device}
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

/** The classes of the columns after the first. */
const columns = [
  'code',
  'model',
  'scene',
  'position',
  'state',
  'contact',
  'battery',
  'signal',
  'latest',
  'action',
] as const;

function SkeletonRow({ first }: { first: boolean }) {
  const bar = <Skeleton height={14} width="70%" />;
  return (
    <tr>
      <td>{first ? <Loading>{bar}</Loading> : bar}</td>
      {columns.map((column) => (
        <td key={column} className={css[column]}>
          {bar}
        </td>
      ))}
    </tr>
  );
}

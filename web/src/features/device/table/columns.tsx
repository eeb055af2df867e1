import type { ParseKeys, TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import type { SortColumn } from '../search';
import { type CellProps, Contact, HealthReading, healthReading, LatestReading, State } from './cells';
import css from './DeviceTable.module.css';

/** A column between the remark name and the link to the form. */
export interface Column {
  name: string;
  head: ParseKeys;
  /** Its name where there is more room than in the head. */
  long?: ParseKeys;
  /** Present if the server can sort by it. */
  sort?: SortColumn;
  Cell: (props: CellProps) => ReactNode;
  /** The class of its width. */
  width: string | undefined;
  /** The class of its cells. */
  cell?: string;
  title?: (device: Device, t: TFunction) => string;
  /**
   * Whether a device has anything in it. A column in which no row has anything gives its room to the
   * others; cards show only what the device has.
   */
  has?: (device: Device) => boolean;
}

export const columns: readonly Column[] = [
  {
    name: 'code',
    head: 'home.device.name',
    sort: 'deviceName',
    Cell: ({ device }) => device.deviceName,
    width: css.wCode,
    cell: css.cut,
    title: ({ deviceName }) => deviceName,
  },
  {
    name: 'model',
    head: 'home.device.model',
    sort: 'productName',
    Cell: ({ device }) => <span className={css.lines}>{device.productName}</span>,
    width: css.wModel,
    cell: css.cut,
    title: ({ product, productName }) => (productName === product ? product : `${productName} · ${product}`),
  },
  {
    name: 'scene',
    head: 'home.device.scene',
    sort: 'groupName',
    Cell: Scene,
    width: css.wScene,
    cell: css.cut,
    title: sceneOf,
  },
  { name: 'position', head: 'home.device.position', Cell: Position, width: css.wPosition, cell: css.cut },
  { name: 'state', head: 'home.device.state', sort: 'onlineState', Cell: State, width: css.wState },
  {
    name: 'contact',
    head: 'device.col.contact',
    long: 'home.device.contact',
    sort: 'lastContact',
    Cell: Contact,
    width: css.wContact,
  },
  {
    name: 'battery',
    head: 'device.col.battery',
    sort: 'battery',
    Cell: ({ device }) => <HealthReading device={device} of="battery" />,
    width: css.wHealth,
    has: (device) => healthReading(device, 'battery') !== undefined,
  },
  {
    name: 'signal',
    head: 'device.col.signal',
    sort: 'signal',
    Cell: ({ device }) => <HealthReading device={device} of="signal" />,
    width: css.wHealth,
    has: (device) => healthReading(device, 'signal') !== undefined,
  },
  { name: 'latest', head: 'device.col.latest', Cell: LatestReading, width: css.wLatest },
];

export function sceneOf({ groupId, groupName }: Device, t: TFunction): string {
  return groupId === 0 ? t('home.defaultGroup') : groupName;
}

function Scene({ device }: CellProps) {
  const { t } = useTranslation();
  return <span className={css.lines}>{sceneOf(device, t)}</span>;
}

function Position({ device: { latitude, longitude } }: CellProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (latitude !== undefined && longitude !== undefined) return format.position(latitude, longitude);
  return <span className={css.quiet}>{t('home.device.noPosition')}</span>;
}

import { pageSizes } from '@/lib/http/paging';

/** The columns by which the server can sort; the default is by name. */
export const sortColumns = [
  'noteName',
  'deviceName',
  'productName',
  'groupName',
  'onlineState',
  'lastContact',
  'battery',
  'signal',
] as const;
export type SortColumn = (typeof sortColumns)[number];

/** The ways of adding devices. */
export const addWays = ['new', 'code', 'table'] as const;
export type AddWay = (typeof addWays)[number];

/** The search parameters of the device page. They determine everything that it shows. */
export interface DeviceSearch {
  /** Part of a name. */
  q?: string;
  /** A scene's id, 0 for the default group; absent: all devices. */
  scene?: number;
  product?: number;
  state?: 'online' | 'offline';
  sort?: SortColumn;
  descending?: true;
  page?: number;
  size?: number;
  /** The device whose sheet is open. */
  device?: string;
  /** The sheet shows the form. */
  edit?: true;
  /** How a device is being added. */
  add?: AddWay;
}

/** The router parses a text of digits alone as a number. */
function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function intParam(value: unknown, least: number): number | undefined {
  const number = Number(textParam(value));
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

function flagParam(value: unknown): true | undefined {
  return value === true || value === 'true' || value === 1 ? true : undefined;
}

/** Reads the search parameters from an address. Default values are never kept in the address. */
export function deviceSearch(given: Record<string, unknown>): DeviceSearch {
  const page = intParam(given.page, 2);
  const size = pageSizes.find((choice) => choice === intParam(given.size, 1));
  const sort = sortColumns.find((column) => column === given.sort);
  const device = textParam(given.device);
  // Every parameter is set, even to undefined: otherwise the router keeps the unchecked value of
  // the address.
  return {
    q: textParam(given.q)?.slice(0, 64),
    scene: intParam(given.scene, 0),
    product: intParam(given.product, 1),
    state: given.state === 'online' || given.state === 'offline' ? given.state : undefined,
    sort,
    descending: sort && flagParam(given.descending),
    page,
    size: size === pageSizes[0] ? undefined : size,
    device,
    edit: device === undefined ? undefined : flagParam(given.edit),
    add: addWays.find((way) => way === given.add),
  };
}

/** Whether anything besides the scene filters the list. */
export function isFiltered({ q, product, state }: DeviceSearch): boolean {
  return q !== undefined || product !== undefined || state !== undefined;
}

import { pageSizes } from '@/lib/http/paging';

/** By what the server can sort; without one it sorts by name. */
export const sortColumns = [
  'noteName',
  'deviceName',
  'productName',
  'groupName',
  'onlineState',
  'lastContact',
] as const;
export type SortColumn = (typeof sortColumns)[number];

/** What the address of the device page holds: everything that says what is to be seen. */
export interface DeviceSearch {
  /** Part of a name. */
  q?: string;
  /** A scene's id, 0 the default group; absent: all devices. */
  scene?: number;
  product?: number;
  state?: 'online' | 'offline';
  sort?: SortColumn;
  descending?: true;
  page?: number;
  size?: number;
  /** The device whose sheet is open. */
  device?: string;
  /** Its sheet is the form. */
  edit?: true;
}

/** Of digits alone a text comes out of the address as a number. */
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

/** Takes out of an address what it may hold. What is as it is anyway stands in none. */
export function deviceSearch(given: Record<string, unknown>): DeviceSearch {
  const page = intParam(given.page, 2);
  const size = pageSizes.find((one) => one === intParam(given.size, 1));
  const sort = sortColumns.find((column) => column === given.sort);
  const device = textParam(given.device);
  // Named even where there is none: what the address holds else would come through.
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
  };
}

/** Whether anything but the scene narrows the list. */
export function isFiltered({ q, product, state }: DeviceSearch): boolean {
  return q !== undefined || product !== undefined || state !== undefined;
}

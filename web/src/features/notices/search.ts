import type { Level, ResolveStatus } from '@/lib/alarm/types';
import { pageSizes } from '@/lib/http/paging';

/** The search parameters of the notices page. They determine everything that it shows. */
export interface NoticesSearch {
  /** Part of a title. */
  q?: string;
  /**
   * Names of the devices whose notices are shown, joined by commas (names contain no commas);
   * absent: all.
   */
  devices?: string;
  status?: ResolveStatus;
  level?: Level;
  page?: number;
  size?: number;
  /** The open notice, on whichever page it is. The links in e-mails name it. */
  id?: number;
  /** With `id`: the page opens with the dialog that marks the notice as solved. */
  solve?: 1;
}

/** The maximum number of names that one call accepts. */
export const maxDevices = 400;

/** The router parses a text of digits alone as a number. */
function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function intParam(value: unknown, least: number): number | undefined {
  const number = Number(textParam(value));
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

const codes = [0, 1, 2] as const;
const code = (value: unknown) => codes.find((known) => known === intParam(value, 0));

export function namesOf(devices: string | undefined): string[] {
  return [...new Set(devices?.split(',').filter(Boolean))].slice(0, maxDevices);
}

/** Reads the search parameters from an address. Default values are never kept in the address. */
export function noticesSearch(given: Record<string, unknown>): NoticesSearch {
  const size = pageSizes.find((choice) => choice === intParam(given.size, 1));
  // Every parameter is set, even to undefined: otherwise the router keeps the unchecked value of
  // the address.
  return {
    q: textParam(given.q)?.slice(0, 64),
    devices: namesOf(textParam(given.devices)).join(',') || undefined,
    status: code(given.status),
    level: code(given.level),
    page: intParam(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    id: intParam(given.id, 1),
    solve: intParam(given.solve, 1) === 1 ? 1 : undefined,
  };
}

import type { Level, ResolveStatus } from '@/lib/alarm/types';
import { pageSizes } from '@/lib/http/paging';

/** What the address of the inform page holds: everything that says what is to be seen. */
export interface NoticesSearch {
  /** Part of a title. */
  q?: string;
  /** Names of devices whose notices are shown, joined by commas, which no name holds; absent: all. */
  devices?: string;
  status?: ResolveStatus;
  level?: Level;
  page?: number;
  size?: number;
  /** The notice that is open, on whichever page it stands. A mail's link names it. */
  id?: number;
}

/** The most names that one call takes. */
export const maxDevices = 400;

/** Of digits alone a text comes out of the address as a number. */
function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function intParam(value: unknown, least: number): number | undefined {
  const number = Number(textParam(value));
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

const codes = [0, 1, 2] as const;
const code = (value: unknown) => codes.find((one) => one === intParam(value, 0));

export function namesOf(devices: string | undefined): string[] {
  return [...new Set(devices?.split(',').filter(Boolean))].slice(0, maxDevices);
}

/** Takes out of an address what it may hold. What is as it is anyway stands in none. */
export function noticesSearch(given: Record<string, unknown>): NoticesSearch {
  const size = pageSizes.find((one) => one === intParam(given.size, 1));
  // Named even where there is none: what the address holds else would come through.
  return {
    q: textParam(given.q)?.slice(0, 64),
    devices: namesOf(textParam(given.devices)).join(',') || undefined,
    status: code(given.status),
    level: code(given.level),
    page: intParam(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    id: intParam(given.id, 1),
  };
}

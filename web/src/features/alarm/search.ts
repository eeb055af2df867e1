import { pageSizes } from '@/lib/http/paging';

/** The search parameters of the alarm page. They determine everything that it shows. */
export interface AlarmSearch {
  /** Part of a rule's name. */
  q?: string;
  /**
   * Names of the devices whose rules are shown, joined by commas (names contain no commas); absent:
   * all.
   */
  devices?: string;
  page?: number;
  size?: number;
  /** The rule whose form is open. */
  rule?: number | 'new';
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

export function namesOf(devices: string | undefined): string[] {
  return [...new Set(devices?.split(',').filter(Boolean))].slice(0, maxDevices);
}

/** Reads the search parameters from an address. Default values are never kept in the address. */
export function alarmSearch(given: Record<string, unknown>): AlarmSearch {
  const size = pageSizes.find((choice) => choice === intParam(given.size, 1));
  // Every parameter is set, even to undefined: otherwise the router keeps the unchecked value of
  // the address.
  return {
    q: textParam(given.q)?.slice(0, 64),
    devices: namesOf(textParam(given.devices)).join(',') || undefined,
    page: intParam(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    rule: given.rule === 'new' ? 'new' : intParam(given.rule, 1),
  };
}

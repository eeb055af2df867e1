import { pageSizes } from '@/lib/http/paging';

/** What the address of the alarm page holds: everything that says what is to be seen. */
export interface AlarmSearch {
  /** Part of a rule's name. */
  q?: string;
  /** Names of devices whose rules are shown, joined by commas, which no name holds; absent: all. */
  devices?: string;
  page?: number;
  size?: number;
  /** The rule whose form is open. */
  rule?: number | 'new';
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

export function namesOf(devices: string | undefined): string[] {
  return [...new Set(devices?.split(',').filter(Boolean))].slice(0, maxDevices);
}

/** Takes out of an address what it may hold. What is as it is anyway stands in none. */
export function alarmSearch(given: Record<string, unknown>): AlarmSearch {
  const size = pageSizes.find((one) => one === intParam(given.size, 1));
  // Named even where there is none: what the address holds else would come through.
  return {
    q: textParam(given.q)?.slice(0, 64),
    devices: namesOf(textParam(given.devices)).join(',') || undefined,
    page: intParam(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    rule: given.rule === 'new' ? 'new' : intParam(given.rule, 1),
  };
}

import { pageSizes } from '@/lib/pages';

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
export const mostDevices = 400;

/** Of digits alone a text comes out of the address as a number. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function whole(value: unknown, least: number): number | undefined {
  const number = Number(text(value));
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

export function namesOf(devices: string | undefined): string[] {
  return [...new Set(devices?.split(',').filter(Boolean))].slice(0, mostDevices);
}

/** Takes out of an address what it may hold. What is as it is anyway stands in none. */
export function alarmSearch(given: Record<string, unknown>): AlarmSearch {
  const size = pageSizes.find((one) => one === whole(given.size, 1));
  // Named even where there is none: what the address holds else would come through.
  return {
    q: text(given.q)?.slice(0, 64),
    devices: namesOf(text(given.devices)).join(',') || undefined,
    page: whole(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    rule: given.rule === 'new' ? 'new' : whole(given.rule, 1),
  };
}

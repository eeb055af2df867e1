import { pageSizes } from '@/lib/http/paging';

/** What the address of the message page holds. */
export interface MessageSearch {
  page?: number;
  size?: number;
  /** The message that is to be open; the bell names it. */
  id?: number;
}

function intParam(value: unknown, least: number): number | undefined {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

/** Takes out of an address what it may hold. What is as it is anyway stands in none. */
export function messageSearch(given: Record<string, unknown>): MessageSearch {
  const size = pageSizes.find((one) => one === intParam(given.size, 1));
  // Named even where there is none: what the address holds else would come through.
  return { page: intParam(given.page, 2), size: size === pageSizes[0] ? undefined : size, id: intParam(given.id, 1) };
}

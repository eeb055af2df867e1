import { pageSizes } from '@/lib/http/paging';

/** The search parameters of the message page. */
export interface MessageSearch {
  page?: number;
  size?: number;
  /** The message to open; the bell's links name it. */
  id?: number;
}

function intParam(value: unknown, least: number): number | undefined {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

/** Reads the search parameters from an address. Default values are never kept in the address. */
export function messageSearch(given: Record<string, unknown>): MessageSearch {
  const size = pageSizes.find((choice) => choice === intParam(given.size, 1));
  // Every parameter is set, even to undefined: otherwise the router keeps the unchecked value of
  // the address.
  return { page: intParam(given.page, 2), size: size === pageSizes[0] ? undefined : size, id: intParam(given.id, 1) };
}

import { type ChannelKind, channelKinds } from '@/lib/channel/kindNames';
import { pageSizes } from '@/lib/http/paging';

/** The search parameters of the channel page. They determine everything that it shows. */
export interface ChannelSearch {
  /** Part of a name. */
  q?: string;
  /** Only channels of this kind. */
  mode?: ChannelKind;
  page?: number;
  size?: number;
  /** The channel whose form is open. */
  channel?: number | 'new';
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

/** Reads the search parameters from an address. Default values are never kept in the address. */
export function channelSearch(given: Record<string, unknown>): ChannelSearch {
  const size = pageSizes.find((one) => one === intParam(given.size, 1));
  // Every parameter is set, even to undefined: otherwise the router keeps the unchecked value of
  // the address.
  return {
    q: textParam(given.q)?.slice(0, 64),
    mode: channelKinds.find((mode) => mode === given.mode),
    page: intParam(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    channel: given.channel === 'new' ? 'new' : intParam(given.channel, 1),
  };
}

import { type ChannelKind, channelKinds } from '@/lib/channel/queries';
import { pageSizes } from '@/lib/http/paging';

/** What the address of the channel page holds: everything that says what is to be seen. */
export interface ChannelSearch {
  /** Part of a name. */
  q?: string;
  /** Only channels that use this way. */
  mode?: ChannelKind;
  page?: number;
  size?: number;
  /** The channel whose form is open. */
  channel?: number | 'new';
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

/** Takes out of an address what it may hold. What is as it is anyway stands in none. */
export function channelSearch(given: Record<string, unknown>): ChannelSearch {
  const size = pageSizes.find((one) => one === intParam(given.size, 1));
  // Named even where there is none: what the address holds else would come through.
  return {
    q: textParam(given.q)?.slice(0, 64),
    mode: channelKinds.find((mode) => mode === given.mode),
    page: intParam(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    channel: given.channel === 'new' ? 'new' : intParam(given.channel, 1),
  };
}

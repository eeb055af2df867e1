import { startOfDate, zonedDate } from '@/lib/format/zone';
import { pageSizes } from '@/lib/http/paging';

/**
 * The kinds of things in the audit log and what is done to them, as the server names them, in the order in
 * which the list of kinds offers them.
 */
const actions = {
  device: ['create', 'update', 'delete', 'export', 'derive', 'calibrate', 'undoCalibration'],
  scene: ['create', 'update', 'delete'],
  rule: ['create', 'update', 'delete', 'publish', 'unpublish', 'mute', 'unmute', 'devices'],
  notice: ['resolve', 'acknowledge', 'unacknowledge'],
  channel: ['create', 'update', 'delete'],
  webhook: ['create', 'update', 'delete', 'switchOff'],
  integration: ['update'],
  credential: ['create', 'update', 'delete'],
  user: ['create', 'update', 'delete', 'endSessions'],
  invitation: ['create', 'update', 'delete'],
  session: ['signIn', 'signOut', 'fail', 'reuse'],
  tenant: ['create', 'update'],
} as const;

export type Kind = keyof typeof actions;

/** The kinds that the log can be filtered by. */
export const kinds = Object.keys(actions) as Kind[];

/** What is done to things of a kind; nothing of a kind that only a newer server has. */
export function actionsOf(kind: string): readonly string[] {
  return kinds.some((known) => known === kind) ? actions[kind as Kind] : [];
}

/** The search parameters of the activity page. They determine everything that it shows. */
export interface ActivitySearch {
  /** Part of a thing's name. */
  q?: string;
  /** An actor, as the API names it: user:7, provider. */
  who?: string;
  kind?: Kind;
  /** First and last day, for example 2026-11-21. */
  from?: string;
  to?: string;
  page?: number;
  size?: number;
  /** The chosen entry. */
  id?: number;
}

const person = /^((user|credential):[1-9]\d{0,17}|provider|server)$/;

/** The router parses a text of digits alone as a number. */
function textParam(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function intParam(value: unknown, least: number): number | undefined {
  const number = Number(textParam(value));
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

/**
 * The midnight at which a day begins, moved by `after` days. Undefined if the text is not a day.
 */
export function midnight(day: string | undefined, after = 0): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '');
  if (!match) return undefined;
  const [year, month, date] = match.slice(1).map(Number) as [number, number, number];
  const begins = startOfDate(year, month - 1, date);
  if (zonedDate(begins).getMonth() !== month - 1 || begins < 0) return undefined;
  return startOfDate(year, month - 1, date + after);
}

function day(value: unknown): string | undefined {
  const given = textParam(value);
  return midnight(given) === undefined ? undefined : given;
}

/** Reads the search parameters from an address. Default values are never kept in the address. */
export function activitySearch(given: Record<string, unknown>): ActivitySearch {
  const size = pageSizes.find((choice) => choice === intParam(given.size, 1));
  const who = textParam(given.who);
  // Every parameter is set, even to undefined: otherwise the router keeps the unchecked value of
  // the address.
  return {
    q: textParam(given.q)?.slice(0, 64),
    who: who !== undefined && person.test(who) ? who : undefined,
    kind: kinds.find((kind) => kind === given.kind),
    from: day(given.from),
    to: day(given.to),
    page: intParam(given.page, 2),
    size: size === pageSizes[0] ? undefined : size,
    id: intParam(given.id, 1),
  };
}

import type { Query, QueryClient } from '@tanstack/react-query';
import { isSilence } from '../http';
import { storageKey, useSession } from '../session';
import { kindOf } from './kinds';
import { late, useReach } from './reach';
import { KeptStore } from './store';

/** Answers are written down at most so often: a farm that sends every second must not keep the disk busy. */
const writeMs = 10_000;
/** What has not been written down yet soon is: the page may be left at any moment. */
const firstMs = 1_000;
/** An answer later than this is waited for with the last one in sight. */
const lateMs = 2_500;

/**
 * Writes down what the signed-in person is shown, and shows it again where the server does not answer or takes long. Wiped as soon
 * as nobody is signed in; nobody is shown another's. Returns how to stop.
 */
export function keepAnswers(client: QueryClient): () => void {
  const keeper = new Keeper(client);
  return keeper.start();
}

/** Who is signed in, in this tab as in all others; null where nobody is. */
function owner(): string | null {
  const userId = useSession.getState().session?.userId;
  return userId === undefined ? null : String(userId);
}

/** Another tab may have signed out a moment ago, of which this one has not been told yet. */
function stillSignedIn(who: string): boolean {
  if (owner() !== who) return false;
  try {
    return localStorage.getItem(storageKey)?.includes(`"userId":${who}`) ?? false;
  } catch {
    // Where storage is forbidden a session lives in this tab alone.
    return true;
  }
}

class Keeper {
  private readonly client: QueryClient;
  private readonly store = new KeptStore();
  private readonly changed = new Set<string>();
  private readonly waiting = new Map<string, ReturnType<typeof setTimeout>>();
  /** By query: the time of what was taken out of the store, which is not to be written again. */
  private readonly taken = new Map<string, number>();
  private readonly written = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the write that is planned is one that cannot wait. */
  private soon = false;

  constructor(client: QueryClient) {
    this.client = client;
  }

  start(): () => void {
    this.attempt(this.store.wipe(owner() ?? undefined));
    const stopCache = this.client.getQueryCache().subscribe((notice) => {
      if (notice.type === 'removed') this.settled(notice.query.queryHash);
      if (notice.type === 'updated' && kindOf(notice.query.queryKey)) this.look(notice.query, notice.action.type);
    });
    const stopSession = useSession.subscribe(({ session }, before) => {
      if (session?.userId === before.session?.userId) return;
      this.changed.clear();
      this.taken.clear();
      this.written.clear();
      this.attempt(this.store.wipe(owner() ?? undefined));
    });
    const leave = () => {
      if (document.hidden) this.write();
    };
    document.addEventListener('visibilitychange', leave);
    return () => {
      stopCache();
      stopSession();
      document.removeEventListener('visibilitychange', leave);
      clearTimeout(this.timer);
      for (const hash of [...this.waiting.keys()]) this.settled(hash);
    };
  }

  private look(query: Query, what: string): void {
    const { queryHash, state } = query;
    if (what === 'fetch' && state.data === undefined && !this.waiting.has(queryHash)) {
      this.waiting.set(
        queryHash,
        setTimeout(() => this.show(query, true), lateMs),
      );
    }
    if (what === 'failed' || what === 'error') {
      if (state.data === undefined && isSilence(state.error ?? state.fetchFailureReason)) this.show(query, false);
    }
    if (what === 'error') this.settled(queryHash);
    if (what !== 'success') return;
    this.settled(queryHash);
    if (this.taken.get(queryHash) === state.dataUpdatedAt) return;
    this.taken.delete(queryHash);
    this.changed.add(queryHash);
    this.plan(!this.written.has(queryHash));
  }

  private plan(soon: boolean): void {
    if (this.timer !== undefined && (this.soon || !soon)) return;
    clearTimeout(this.timer);
    this.soon = soon;
    this.timer = setTimeout(() => this.write(), soon ? firstMs : writeMs);
  }

  private settled(hash: string): void {
    clearTimeout(this.waiting.get(hash));
    this.waiting.delete(hash);
  }

  private show(query: Query, isLate: boolean): void {
    const who = owner();
    if (who === null) return;
    const { queryHash, queryKey } = query;
    const taking = this.store.take(who, queryHash, Date.now()).then((kept) => {
      // Meanwhile it may have been answered after all, or the person have left.
      if (!kept || query.state.data !== undefined || owner() !== who) return;
      this.taken.set(queryHash, kept.updatedAt);
      this.client.setQueryData(queryKey, kept.data, { updatedAt: kept.updatedAt });
      if (isLate) late();
    });
    this.attempt(taking);
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.soon = false;
    const who = owner();
    if (who === null || this.changed.size === 0) return;
    const cache = this.client.getQueryCache();
    const answers = [...this.changed].flatMap((hash) => {
      const query = cache.get(hash);
      const kind = query && kindOf(query.queryKey);
      if (!kind || query.state.data === undefined) return [];
      return [{ hash, kind, data: query.state.data, updatedAt: query.state.dataUpdatedAt }];
    });
    for (const hash of this.changed) this.written.add(hash);
    this.changed.clear();
    this.attempt(this.store.put(who, answers, Date.now(), () => stillSignedIn(who)));
  }

  /** Where a browser forbids the database, or it is full, nothing is kept; the console is otherwise the same. */
  private attempt(work: Promise<unknown>): void {
    work.catch(() => undefined);
  }
}

/** The time that what is on the screen is as of: the newest of its answers that are kept; 0 where there are none. */
export function shownAsOf(client: QueryClient): number {
  const shown = client.getQueryCache().findAll({ type: 'active' });
  const times = shown.filter(({ queryKey }) => kindOf(queryKey)).map(({ state }) => state.dataUpdatedAt);
  const newest = Math.max(0, ...times);
  return newest || (useReach.getState().answeredAt ?? 0);
}

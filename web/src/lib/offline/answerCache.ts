import type { Query, QueryClient } from '@tanstack/react-query';
import { isNoAnswer } from '../http/http';
import { storageKey, useSession } from '../session/session';
import { answerKindOf, storedPart } from './answerKinds';
import { AnswerStore } from './answerStore';
import { noteLateAnswer, useReachability } from './reachability';

/**
 * The interval between writes: a tenant whose devices send every second must not keep the disk
 * busy.
 */
const writeIntervalMs = 10_000;
/** The first write comes sooner: the user may leave the page at any moment. */
const firstWriteMs = 1_000;
/** If an answer takes longer than this, the last one is shown meanwhile. */
const lateAnswerMs = 2_500;

/**
 * Stores the answers that the signed-in user sees, and shows them again where the server does not
 * answer or takes long. Wiped as soon as nobody is signed in; no user sees another's answers.
 * Returns a function that stops it.
 */
export function startAnswerCache(client: QueryClient): () => void {
  const cache = new AnswerCache(client);
  return cache.start();
}

/** The signed-in user, the same in all tabs; null where nobody is signed in. */
function currentUser(): string | null {
  const userId = useSession.getState().session?.userId;
  return userId === undefined ? null : String(userId);
}

/** Another tab may have signed out a moment ago, and this one may not know yet. */
function stillSignedIn(who: string): boolean {
  if (currentUser() !== who) return false;
  try {
    return localStorage.getItem(storageKey)?.includes(`"userId":${who}`) ?? false;
  } catch {
    // Where storage is forbidden, a session lives in this tab alone.
    return true;
  }
}

class AnswerCache {
  private readonly client: QueryClient;
  private readonly store = new AnswerStore();
  private readonly dirtyHashes = new Set<string>();
  private readonly lateTimers = new Map<string, ReturnType<typeof setTimeout>>();
  /** By query: the time of the answer that came from the store, which must not be written again. */
  private readonly restoredAt = new Map<string, number>();
  private readonly writtenHashes = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the scheduled write cannot wait. */
  private urgentWrite = false;

  constructor(client: QueryClient) {
    this.client = client;
  }

  start(): () => void {
    this.ignoreFailure(this.store.wipe(currentUser() ?? undefined));
    const stopCache = this.client.getQueryCache().subscribe((notice) => {
      if (notice.type === 'removed') this.clearLateTimer(notice.query.queryHash);
      if (notice.type === 'updated' && answerKindOf(notice.query.queryKey))
        this.onQueryUpdate(notice.query, notice.action.type);
    });
    const stopSession = useSession.subscribe(({ session }, before) => {
      if (session?.userId === before.session?.userId) return;
      this.dirtyHashes.clear();
      this.restoredAt.clear();
      this.writtenHashes.clear();
      this.ignoreFailure(this.store.wipe(currentUser() ?? undefined));
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
      for (const hash of [...this.lateTimers.keys()]) this.clearLateTimer(hash);
    };
  }

  private onQueryUpdate(query: Query, what: string): void {
    const { queryHash, state } = query;
    if (what === 'fetch' && state.data === undefined && !this.lateTimers.has(queryHash)) {
      this.lateTimers.set(
        queryHash,
        setTimeout(() => this.restore(query, true), lateAnswerMs),
      );
    }
    if (what === 'failed' || what === 'error') {
      if (state.data === undefined && isNoAnswer(state.error ?? state.fetchFailureReason)) this.restore(query, false);
    }
    if (what === 'error') this.clearLateTimer(queryHash);
    if (what !== 'success') return;
    this.clearLateTimer(queryHash);
    if (this.restoredAt.get(queryHash) === state.dataUpdatedAt) return;
    this.restoredAt.delete(queryHash);
    this.dirtyHashes.add(queryHash);
    this.scheduleWrite(!this.writtenHashes.has(queryHash));
  }

  private scheduleWrite(soon: boolean): void {
    if (this.timer !== undefined && (this.urgentWrite || !soon)) return;
    clearTimeout(this.timer);
    this.urgentWrite = soon;
    this.timer = setTimeout(() => this.write(), soon ? firstWriteMs : writeIntervalMs);
  }

  private clearLateTimer(hash: string): void {
    clearTimeout(this.lateTimers.get(hash));
    this.lateTimers.delete(hash);
  }

  private restore(query: Query, isLate: boolean): void {
    const who = currentUser();
    if (who === null) return;
    const { queryHash, queryKey } = query;
    const restoring = this.store.read(who, queryHash, Date.now()).then((kept) => {
      // Meanwhile the answer may have come after all, or the user may have left.
      if (!kept || query.state.data !== undefined || currentUser() !== who) return;
      this.restoredAt.set(queryHash, kept.updatedAt);
      this.client.setQueryData(queryKey, kept.data, { updatedAt: kept.updatedAt });
      if (isLate) noteLateAnswer();
    });
    this.ignoreFailure(restoring);
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.urgentWrite = false;
    const who = currentUser();
    if (who === null || this.dirtyHashes.size === 0) return;
    const cache = this.client.getQueryCache();
    const answers = [...this.dirtyHashes].flatMap((hash) => {
      const query = cache.get(hash);
      const kind = query && answerKindOf(query.queryKey);
      if (!kind || query.state.data === undefined) return [];
      const data = storedPart(kind, query.state.data);
      return data === undefined ? [] : [{ hash, kind, data, updatedAt: query.state.dataUpdatedAt }];
    });
    for (const hash of this.dirtyHashes) this.writtenHashes.add(hash);
    this.dirtyHashes.clear();
    this.ignoreFailure(this.store.put(who, answers, Date.now(), () => stillSignedIn(who)));
  }

  /**
   * If the browser forbids the database, or it is full, nothing is stored; the console works
   * otherwise.
   */
  private ignoreFailure(work: Promise<unknown>): void {
    work.catch(() => undefined);
  }
}

/**
 * The time as of which the screen is current: the newest of its stored answers; 0 where there are
 * none.
 */
export function shownAsOf(client: QueryClient): number {
  const shown = client.getQueryCache().findAll({ type: 'active' });
  const times = shown.filter(({ queryKey }) => answerKindOf(queryKey)).map(({ state }) => state.dataUpdatedAt);
  const newest = Math.max(0, ...times);
  return newest || (useReachability.getState().answeredAt ?? 0);
}

import { clear, createStore, delMany, get, keys, setMany, type UseStore } from 'idb-keyval';
import { type AnswerInfo, isTooOld, surplusHashes } from './answerKinds';

/** A stored answer. */
export interface StoredAnswer extends AnswerInfo {
  hash: string;
  data: unknown;
}

/**
 * The database and its only table. Each site has its own, so that two tenants' hosts share nothing.
 */
export const databaseName = 'tilth-last-seen';
const tableName = 'answers';

/** The key of an answer; an owner's index is stored under the owner alone. */
const keyOf = (owner: string, hash: string) => `${owner} ${hash}`;

/**
 * The last answers of one browser, in IndexedDB. An owner is a user: nothing is ever read for
 * another. Operations run one at a time and in order, so that wiped data stays wiped.
 */
export class AnswerStore {
  private readonly table: UseStore;
  private queue: Promise<unknown> = Promise.resolve();

  constructor() {
    this.table = createStore(databaseName, tableName);
  }

  /**
   * Stores answers in place of earlier ones of the same queries. Calls `isStillSignedIn` right
   * before: whether the owner is still signed in.
   */
  put(owner: string, answers: readonly StoredAnswer[], now: number, isStillSignedIn: () => boolean): Promise<void> {
    return this.enqueue(async () => {
      const index = await this.index(owner);
      for (const { hash, kind, updatedAt } of answers) index[hash] = { kind, updatedAt };
      const removed = surplusHashes(index, now);
      for (const hash of removed) delete index[hash];
      const remaining = answers.filter(({ hash }) => hash in index);
      if (!isStillSignedIn()) return;
      await setMany(
        [...remaining.map((kept): [string, StoredAnswer] => [keyOf(owner, kept.hash), kept]), [owner, index]],
        this.table,
      );
      const removedKeys = removed.map((hash) => keyOf(owner, hash));
      if (removedKeys.length > 0) await delMany(removedKeys, this.table);
    });
  }

  /** The last answer to a query; undefined where there is none, or it is too old. */
  read(owner: string, hash: string, now: number): Promise<StoredAnswer | undefined> {
    return this.enqueue(async () => {
      const kept = await get<StoredAnswer>(keyOf(owner, hash), this.table);
      return kept && !isTooOld(kept.updatedAt, now) ? kept : undefined;
    });
  }

  /** Wipes everything, or everything except an owner's answers that are not too old. */
  wipe(exceptOf?: string, now = Date.now()): Promise<void> {
    return this.enqueue(async () => {
      if (exceptOf === undefined) return clear(this.table);
      const index = await this.index(exceptOf);
      for (const hash of surplusHashes(index, now)) delete index[hash];
      const remaining = new Set([exceptOf, ...Object.keys(index).map((hash) => keyOf(exceptOf, hash))]);
      const removed = (await keys<string>(this.table)).filter((key) => !remaining.has(key));
      if (removed.length === 0) return;
      await delMany(removed, this.table);
      if (Object.keys(index).length > 0) await setMany([[exceptOf, index]], this.table);
    });
  }

  private async index(owner: string): Promise<Record<string, AnswerInfo>> {
    return (await get<Record<string, AnswerInfo>>(owner, this.table)) ?? {};
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work, work);
    this.queue = done.catch(() => undefined);
    return done;
  }
}

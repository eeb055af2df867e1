import { clear, createStore, delMany, get, keys, setMany, type UseStore } from 'idb-keyval';
import { type Entry, isTooOld, surplus } from './kinds';

/** An answer as it was last current. */
export interface Kept extends Entry {
  hash: string;
  data: unknown;
}

/** The database and its one table. Each site has its own, so that two tenants' hosts share nothing. */
export const databaseName = 'tilth-last-seen';
const tableName = 'answers';

/** What `hash` is kept under; the index of an owner stands under the owner alone. */
const keyOf = (owner: string, hash: string) => `${owner} ${hash}`;

/**
 * The last answers of one browser, in IndexedDB. An owner is a user: nothing is ever read for another. One thing is done at a time
 * and in order, so that what is wiped stays so.
 */
export class KeptStore {
  private readonly table: UseStore;
  private turn: Promise<unknown> = Promise.resolve();

  constructor() {
    this.table = createStore(databaseName, tableName);
  }

  /** Keeps answers in place of earlier ones of the same queries. `still` is asked right before: whether the owner is signed in yet. */
  put(owner: string, answers: readonly Kept[], now: number, still: () => boolean): Promise<void> {
    return this.next(async () => {
      const index = await this.index(owner);
      for (const { hash, kind, updatedAt } of answers) index[hash] = { kind, updatedAt };
      const gone = surplus(index, now);
      for (const hash of gone) delete index[hash];
      const staying = answers.filter(({ hash }) => hash in index);
      if (!still()) return;
      await setMany(
        [...staying.map((kept): [string, Kept] => [keyOf(owner, kept.hash), kept]), [owner, index]],
        this.table,
      );
      const dead = gone.map((hash) => keyOf(owner, hash));
      if (dead.length > 0) await delMany(dead, this.table);
    });
  }

  /** The last answer to a query; undefined where there is none, or none that is young enough. */
  take(owner: string, hash: string, now: number): Promise<Kept | undefined> {
    return this.next(async () => {
      const kept = await get<Kept>(keyOf(owner, hash), this.table);
      return kept && !isTooOld(kept.updatedAt, now) ? kept : undefined;
    });
  }

  /** Wipes everything, or everything but what is an owner's and not too old. */
  wipe(exceptOf?: string, now = Date.now()): Promise<void> {
    return this.next(async () => {
      if (exceptOf === undefined) return clear(this.table);
      const index = await this.index(exceptOf);
      for (const hash of surplus(index, now)) delete index[hash];
      const staying = new Set([exceptOf, ...Object.keys(index).map((hash) => keyOf(exceptOf, hash))]);
      const gone = (await keys<string>(this.table)).filter((key) => !staying.has(key));
      if (gone.length === 0) return;
      await delMany(gone, this.table);
      if (Object.keys(index).length > 0) await setMany([[exceptOf, index]], this.table);
    });
  }

  private async index(owner: string): Promise<Record<string, Entry>> {
    return (await get<Record<string, Entry>>(owner, this.table)) ?? {};
  }

  private next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work, work);
    this.turn = done.catch(() => undefined);
    return done;
  }
}

import type { QueryClient } from '@tanstack/react-query';
import { now } from '@/lib/format/clock';
import { overviewQuery } from '@/lib/http/queries';
import type { LiveEvent } from '@/lib/live/useLive';
import { deviceKeys } from '../queries';
import { applyToQuery } from './applyToCache';
import { changesOf, isEmpty } from './changes';

/**
 * The server may have written an answer before an event that reached the console while the answer
 * was on its way; the answer would then undo the event. So EventReplay keeps the events since a
 * fetch began and applies them again to its result.
 */
export class EventReplay {
  private readonly client: QueryClient;
  private readonly fetchStarts = new Map<string, number>();
  private events: LiveEvent[] = [];
  private first = 0;

  constructor(client: QueryClient) {
    this.client = client;
  }

  /** Watches the cache until the caller calls the returned function. */
  watch(): () => void {
    for (const query of this.client.getQueryCache().getAll()) {
      if (query.state.fetchStatus === 'fetching') this.begin(query.queryKey, query.queryHash);
    }
    return this.client.getQueryCache().subscribe((notice) => {
      if (notice.type === 'removed') this.end(notice.query.queryHash);
      if (notice.type !== 'updated') return;
      const { query, action } = notice;
      if (action.type === 'fetch') this.begin(query.queryKey, query.queryHash);
      if (action.type === 'error') this.end(query.queryHash);
      if (action.type !== 'success' || action.manual) return;
      const mark = this.fetchStarts.get(query.queryHash);
      if (mark !== undefined) {
        const changes = changesOf(this.events.slice(Math.max(0, mark - this.first)), now());
        if (!isEmpty(changes)) applyToQuery(this.client, query, changes);
      }
      this.end(query.queryHash);
    });
  }

  add(events: readonly LiveEvent[]): void {
    if (this.fetchStarts.size > 0) this.events.push(...events);
  }

  private begin(key: readonly unknown[], hash: string): void {
    if (key[0] !== deviceKeys.all[0] && key[0] !== overviewQuery().queryKey[0]) return;
    this.fetchStarts.set(hash, this.first + this.events.length);
  }

  /** Keeps events only as far back as the oldest fetch in flight. */
  private end(hash: string): void {
    if (!this.fetchStarts.delete(hash)) return;
    const oldest =
      this.fetchStarts.size === 0 ? this.first + this.events.length : Math.min(...this.fetchStarts.values());
    this.events = this.events.slice(oldest - this.first);
    this.first = oldest;
  }
}

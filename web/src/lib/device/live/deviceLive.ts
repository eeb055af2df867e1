import type { Query, QueryClient } from '@tanstack/react-query';
import { noteServerTime, now } from '@/lib/format/clock';
import { nextMidnight } from '@/lib/format/date';
import type { LiveEvent } from '@/lib/live/live';
import { overviewQuery } from '@/lib/queries';
import { deviceKeys, type PageFilter } from '../queries';
import type { Overview } from '../types';
import { applyToCache, knownDevices } from './cache';
import { type Changes, changesOf, isEmpty } from './changes';
import { Debounce } from './debounce';
import { Replay } from './replay';

type Kind = Parameters<typeof deviceKeys.kind>[0];

/** What shows devices with what they read last. */
const lists: readonly Kind[] = ['groups', 'page', 'device', 'latest', 'map'];
const firstsRestMs = 3000;

/** Applies live events to what was fetched of devices, and fetches anew what they cannot tell. */
export class DeviceLive {
  private readonly client: QueryClient;
  private readonly replay: Replay;
  /** What only the server can count: who is back since midnight, which alarms are open. */
  private readonly counts = new Debounce(() => this.recount(), 2000, 10_000);
  /** A notice changes counts, marks and levels; the screen shows it within the second. */
  private readonly alarms = new Debounce(() => this.refetch(['groups', 'page', 'device', 'map']), 150, 600);
  private readonly unknown = new Debounce(() => this.askForUnknown(), 3000, 15_000);
  /** Whoever sets up a device waits for its first reading. */
  private readonly firsts = new Debounce(() => this.askForFirsts(), 250, 600);
  private firstsAt = 0;
  /** Devices that came or went, and properties that were read, since the last look at what is unknown. */
  private readonly moved = new Set<string>();
  private readonly read = new Map<string, Set<string>>();
  /** Asked for once already: a property that the server does not list is not asked for again and again. */
  private readonly asked = new Set<string>();

  constructor(client: QueryClient) {
    this.client = client;
    this.replay = new Replay(client);
  }

  start(): () => void {
    const unwatch = this.replay.watch();
    const unsubscribe = this.client.getQueryCache().subscribe((notice) => {
      if (notice.type !== 'updated' || notice.query.queryKey[0] !== overviewQuery().queryKey[0]) return;
      const { action } = notice;
      if (action.type === 'success' && !action.manual) noteServerTime((action.data as Overview).time);
    });
    // What was kept from an earlier visit has missed the events since.
    for (const queryKey of [deviceKeys.all, overviewQuery().queryKey]) {
      void this.client.invalidateQueries({ queryKey, predicate: ({ state }) => state.data !== undefined });
    }
    const stopMidnight = this.atMidnight();
    return () => {
      unwatch();
      unsubscribe();
      stopMidnight();
      for (const debounce of [this.counts, this.alarms, this.unknown, this.firsts]) debounce.cancel();
    };
  }

  handle(events: readonly LiveEvent[]): void {
    if (events.some(({ name }) => name === 'reset')) this.refetchAll();
    if (events.some(({ name }) => name === 'notice')) this.alarms.request();
    this.replay.add(events);
    const changes = changesOf(events, now());
    if (isEmpty(changes)) return;
    applyToCache(this.client, changes);
    if (changes.transitions.length > 0) this.counts.request();
    this.note(changes);
  }

  private refetchAll(): void {
    for (const queryKey of [deviceKeys.all, overviewQuery().queryKey]) {
      // A fetch under way may have been answered before the gap ended: begun again, not waited for.
      void this.client.cancelQueries({ queryKey }).then(() => this.client.invalidateQueries({ queryKey }));
    }
  }

  /** The counts, and the lists of those that are online or are not: who came or went belongs to another one. */
  private recount(): void {
    this.refetch([]);
    const byState = ({ queryKey }: Query) => (queryKey[3] as PageFilter).onlineState !== undefined;
    void this.client.invalidateQueries({ queryKey: deviceKeys.kind('page'), predicate: byState });
  }

  /** The counts, and whatever else is named. */
  private refetch(kinds: readonly Kind[]): void {
    const keys = [overviewQuery().queryKey, ...kinds.map((kind) => deviceKeys.kind(kind))];
    for (const queryKey of keys) void this.client.invalidateQueries({ queryKey });
  }

  private note(changes: Changes): void {
    for (const { deviceName } of changes.transitions) this.moved.add(deviceName);
    for (const [deviceName, values] of changes.latest) {
      const signs = this.read.get(deviceName) ?? new Set();
      for (const sign of values.keys()) signs.add(sign);
      this.read.set(deviceName, signs);
    }
    // More that come while the first are still being shown wait until it is quiet.
    const rests = Date.now() - this.firstsAt < firstsRestMs;
    if (changes.transitions.length > 0 || rests) this.unknown.request();
    if (changes.latest.size > 0 && !rests) this.firsts.request();
  }

  /** Counts of groups move by devices that no list holds. */
  private askForUnknown(): void {
    const known = knownDevices(this.client);
    const strangers = [...this.moved].some((deviceName) => !known.has(deviceName));
    this.moved.clear();
    if (strangers) this.refetch(lists);
    this.askForFirsts(strangers);
  }

  /** A property's first reading needs its name and unit. `done`: all are being asked for anyway. */
  private askForFirsts(done = false): void {
    const known = knownDevices(this.client);
    let ask = false;
    for (const [deviceName, signs] of this.read) {
      const device = known.get(deviceName);
      if (!device) continue;
      const latest = device.lastData[0] ?? {};
      for (const sign of signs) {
        const key = `${deviceName} ${sign}`;
        if (sign in latest || this.asked.has(key)) continue;
        this.asked.add(key);
        ask = true;
      }
    }
    this.read.clear();
    if (!ask) return;
    this.firstsAt = Date.now();
    if (!done) this.refetch(lists);
  }

  /** "Today" and "since midnight" begin anew. */
  private atMidnight(): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      // A second late, so that the server's day has turned too.
      timer = setTimeout(
        () => {
          this.refetch([]);
          wait();
        },
        nextMidnight(now()) - now() + 1000,
      );
    };
    wait();
    return () => clearTimeout(timer);
  }
}

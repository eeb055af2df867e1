import type { Query, QueryClient } from '@tanstack/react-query';
import { Debouncer } from '@/lib/async/debouncer';
import { noteServerTime, now } from '@/lib/format/clock';
import { nextMidnight } from '@/lib/format/date';
import { overviewQuery } from '@/lib/http/queries';
import { mayLackEvents } from '@/lib/live/deliveries';
import type { LiveEvent } from '@/lib/live/useLive';
import { deviceKeys, type PageFilter } from '../queries';
import type { Overview } from '../types';
import { applyToCache, knownDevices } from './applyToCache';
import { type Changes, changesOf, isEmpty } from './changes';
import { EventReplay } from './eventReplay';

type Kind = Parameters<typeof deviceKeys.kind>[0];

/** The kinds of queries that hold devices with their latest readings. */
const deviceListKinds: readonly Kind[] = ['groups', 'page', 'device', 'latest', 'map'];
const firstReadingsPauseMs = 3000;

/** Applies live events to cached device data, and refetches what the events cannot tell. */
export class DeviceLive {
  private readonly client: QueryClient;
  private readonly replay: EventReplay;
  /** Counts that only the server knows: devices back since midnight, open alarms. */
  private readonly countsRefetch = new Debouncer(() => this.refetchCounts(), 2000, 10_000);
  /** A notice changes counts, marks and levels; the screen shows it within a second. */
  private readonly alarmsRefetch = new Debouncer(() => this.refetch(['groups', 'page', 'device', 'map']), 150, 600);
  private readonly unknownRefetch = new Debouncer(() => this.refetchUnknown(), 3000, 15_000);
  /** A user who sets up a device is waiting for its first reading. */
  private readonly firstReadingsRefetch = new Debouncer(() => this.refetchFirstReadings(), 250, 600);
  private firstReadingsAt = 0;
  /**
   * Devices that came or went, and properties that were read, since the last check for unknown
   * ones.
   */
  private readonly transitionedDevices = new Set<string>();
  private readonly readSigns = new Map<string, Set<string>>();
  /**
   * Properties asked for once already: one that the server does not list is not requested again and
   * again.
   */
  private readonly askedSigns = new Set<string>();

  constructor(client: QueryClient) {
    this.client = client;
    this.replay = new EventReplay(client);
  }

  start(): () => void {
    const unwatch = this.replay.watch();
    const unsubscribe = this.client.getQueryCache().subscribe((notice) => {
      if (notice.type !== 'updated' || notice.query.queryKey[0] !== overviewQuery().queryKey[0]) return;
      const { action } = notice;
      if (action.type === 'success' && !action.manual) noteServerTime((action.data as Overview).time);
    });
    for (const queryKey of [deviceKeys.all, overviewQuery().queryKey]) {
      void this.client.invalidateQueries({
        queryKey,
        predicate: ({ state }) => state.data !== undefined && mayLackEvents(state.dataUpdatedAt),
      });
    }
    const stopMidnight = this.refetchAtMidnight();
    return () => {
      unwatch();
      unsubscribe();
      stopMidnight();
      for (const debounce of [this.countsRefetch, this.alarmsRefetch, this.unknownRefetch, this.firstReadingsRefetch])
        debounce.cancel();
    };
  }

  handle(events: readonly LiveEvent[]): void {
    if (events.some(({ name }) => name === 'reset')) this.refetchAll();
    if (events.some(({ name }) => name === 'notice')) this.alarmsRefetch.request();
    this.replay.add(events);
    const changes = changesOf(events, now());
    if (isEmpty(changes)) return;
    applyToCache(this.client, changes);
    if (changes.transitions.length > 0) this.countsRefetch.request();
    this.recordChanges(changes);
  }

  private refetchAll(): void {
    for (const queryKey of [deviceKeys.all, overviewQuery().queryKey]) {
      // A fetch in flight may have been answered before the gap ended: restart it.
      void this.client.cancelQueries({ queryKey }).then(() => this.client.invalidateQueries({ queryKey }));
    }
  }

  /**
   * Refetches the counts, and the lists filtered by presence: a device that came or went belongs to
   * another one.
   */
  private refetchCounts(): void {
    this.refetch([]);
    const byState = ({ queryKey }: Query) => (queryKey[3] as PageFilter).onlineState !== undefined;
    void this.client.invalidateQueries({ queryKey: deviceKeys.kind('page'), predicate: byState });
  }

  /** Refetches the counts and the given kinds. */
  private refetch(kinds: readonly Kind[]): void {
    const keys = [overviewQuery().queryKey, ...kinds.map((kind) => deviceKeys.kind(kind))];
    for (const queryKey of keys) void this.client.invalidateQueries({ queryKey });
  }

  private recordChanges(changes: Changes): void {
    for (const { deviceName } of changes.transitions) this.transitionedDevices.add(deviceName);
    for (const [deviceName, values] of changes.latest) {
      const signs = this.readSigns.get(deviceName) ?? new Set();
      for (const sign of values.keys()) signs.add(sign);
      this.readSigns.set(deviceName, signs);
    }
    // Further ones wait until it is quiet while the first are still being shown.
    const pausing = Date.now() - this.firstReadingsAt < firstReadingsPauseMs;
    if (changes.transitions.length > 0 || pausing) this.unknownRefetch.request();
    if (changes.latest.size > 0 && !pausing) this.firstReadingsRefetch.request();
  }

  /** Devices that no list holds change the counts of groups. */
  private refetchUnknown(): void {
    const known = knownDevices(this.client);
    const hasUnknown = [...this.transitionedDevices].some((deviceName) => !known.has(deviceName));
    this.transitionedDevices.clear();
    if (hasUnknown) this.refetch(deviceListKinds);
    this.refetchFirstReadings(hasUnknown);
  }

  /**
   * Fetches the name and unit that a property's first reading needs. `done`: everything is being
   * refetched anyway.
   */
  private refetchFirstReadings(done = false): void {
    const known = knownDevices(this.client);
    let ask = false;
    for (const [deviceName, signs] of this.readSigns) {
      const device = known.get(deviceName);
      if (!device) continue;
      const latest = device.lastData[0] ?? {};
      for (const sign of signs) {
        const key = `${deviceName} ${sign}`;
        if (sign in latest || this.askedSigns.has(key)) continue;
        this.askedSigns.add(key);
        ask = true;
      }
    }
    this.readSigns.clear();
    if (!ask) return;
    this.firstReadingsAt = Date.now();
    if (!done) this.refetch(deviceListKinds);
  }

  /** Refetches at midnight, when the counts of "today" and "since midnight" start over. */
  private refetchAtMidnight(): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      // A second late, so that the server's day has changed too.
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

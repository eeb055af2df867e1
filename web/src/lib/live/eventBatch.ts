import type { LiveEvent } from './event';

/** For more events than this in one batch, a refetch is cheaper than applying them. */
const maxEvents = 5000;
const hiddenMs = 1000;
/** A page of many devices draws itself anew for each batch: oftener than this nobody could read it. */
const pauseMs = 250;

/**
 * Collects events and delivers them with the next animation frame, but at most four times a second;
 * in a hidden tab, which has no frames, once a second.
 */
export class EventBatch {
  private readonly deliver: (events: readonly LiveEvent[]) => void;
  private events: LiveEvent[] = [];
  private frame = 0;
  private deliveredAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deliver: (events: readonly LiveEvent[]) => void) {
    this.deliver = deliver;
  }

  add(event: LiveEvent): void {
    if (event.name === 'reset' || this.events.length >= maxEvents) this.events = [{ name: 'reset' }];
    else this.events.push(event);
    if (this.timer !== undefined) return;
    const pause = this.deliveredAt + pauseMs - performance.now();
    if (pause > 0) this.timer = setTimeout(() => this.awaitFrame(), pause);
    else this.awaitFrame();
  }

  private awaitFrame(): void {
    this.timer = setTimeout(() => this.flush(), hiddenMs);
    this.frame = requestAnimationFrame(() => this.flush());
  }

  clear(): void {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.timer = undefined;
    this.events = [];
  }

  private flush(): void {
    const events = this.events;
    this.clear();
    this.deliveredAt = performance.now();
    this.deliver(events);
  }
}

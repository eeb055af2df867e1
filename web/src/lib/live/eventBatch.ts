import type { LiveEvent } from './event';

/** For more events than this in one batch, a refetch is cheaper than applying them. */
const maxEvents = 5000;
const hiddenMs = 1000;

/**
 * Collects events and delivers them once per animation frame; in a hidden tab, which has no frames,
 * once a second.
 */
export class EventBatch {
  private readonly deliver: (events: readonly LiveEvent[]) => void;
  private events: LiveEvent[] = [];
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deliver: (events: readonly LiveEvent[]) => void) {
    this.deliver = deliver;
  }

  add(event: LiveEvent): void {
    if (event.name === 'reset' || this.events.length >= maxEvents) this.events = [{ name: 'reset' }];
    else this.events.push(event);
    if (this.timer !== undefined) return;
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
    this.deliver(events);
  }
}

/**
 * Calls once after a burst of requests: when none came for `quietMs`, but at most `mostMs` after
 * the first.
 */
export class Debouncer {
  private readonly call: () => void;
  private readonly quietMs: number;
  private readonly maxMs: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private firstRequestAt: number | null = null;

  constructor(call: () => void, quietMs: number, mostMs: number) {
    this.call = call;
    this.quietMs = quietMs;
    this.maxMs = mostMs;
  }

  request(): void {
    const now = Date.now();
    this.firstRequestAt ??= now;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fire(), Math.min(this.quietMs, this.firstRequestAt + this.maxMs - now));
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.firstRequestAt = null;
  }

  private fire(): void {
    this.firstRequestAt = null;
    this.call();
  }
}

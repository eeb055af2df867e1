/** Calls once after a burst of requests: when none came for `quietMs`, but never later than `mostMs` after the first. */
export class Debounce {
  private readonly call: () => void;
  private readonly quietMs: number;
  private readonly mostMs: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private first: number | null = null;

  constructor(call: () => void, quietMs: number, mostMs: number) {
    this.call = call;
    this.quietMs = quietMs;
    this.mostMs = mostMs;
  }

  request(): void {
    const now = Date.now();
    this.first ??= now;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fire(), Math.min(this.quietMs, this.first + this.mostMs - now));
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.first = null;
  }

  private fire(): void {
    this.first = null;
    this.call();
  }
}

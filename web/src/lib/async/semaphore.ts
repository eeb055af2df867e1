interface Waiter {
  begin: () => void;
}

/** Lets so much work run at once; what waits begins in the order in which it came, and what is given up meanwhile never begins. */
export class Semaphore {
  private readonly limit: number;
  private running = 0;
  private waiting: Waiter[] = [];

  constructor(most: number) {
    this.limit = most;
  }

  /** Does the work when its turn comes. Rejects with the signal's reason when it is given up before. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.running >= this.limit) await this.acquire(signal);
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The place goes over to the next in line.
      if (next) next.begin();
      else this.running -= 1;
    }
  }

  private acquire(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting = this.waiting.filter((other) => other !== mine);
        reject(signal.reason);
      };
      const mine: Waiter = {
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.waiting.push(mine);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}

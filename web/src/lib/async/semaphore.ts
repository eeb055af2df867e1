interface Waiter {
  begin: () => void;
}

/**
 * Limits how many jobs run at once. Waiting jobs start in order of arrival; a job that is cancelled
 * while it waits never starts.
 */
export class Semaphore {
  private readonly limit: number;
  private running = 0;
  private waiting: Waiter[] = [];

  constructor(most: number) {
    this.limit = most;
  }

  /**
   * Runs the work once a slot is free. Rejects with the signal's reason if it is aborted before.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.running >= this.limit) await this.acquire(signal);
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // Hands the slot to the next job in the queue.
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

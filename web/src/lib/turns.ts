interface Waiting {
  begin: () => void;
}

/** Lets so much work run at once; what waits begins in the order in which it came, and what is given up meanwhile never begins. */
export class Turns {
  private readonly most: number;
  private running = 0;
  private waiting: Waiting[] = [];

  constructor(most: number) {
    this.most = most;
  }

  /** Does the work when its turn comes. Rejects with the signal's reason when it is given up before. */
  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.running >= this.most) await this.turn(signal);
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

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting = this.waiting.filter((other) => other !== mine);
        reject(signal.reason);
      };
      const mine: Waiting = {
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

/** A Wednesday noon, UTC. */
const noon = Date.UTC(2026, 11, 2, 12);
const RealDate = Date;
const clockOffset = noon - RealDate.now();
const now = () => RealDate.now() + clockOffset;

class FixedDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length > 0 ? given : [now()]) as [number]));
  }

  static override now = now;

  static override [Symbol.hasInstance](one: unknown) {
    return one instanceof RealDate;
  }
}

/**
 * Begins every file of tests at the same noon, from which the clock runs as it does: no test depends on the day or the
 * hour at which it is run. Needed before each test, for one that holds the clock itself lets go of the real one.
 */
export function freezeClock() {
  globalThis.Date = FixedDate as unknown as DateConstructor;
}

/** Gives the real clock back, to the next file of the process. */
export function restoreClock() {
  globalThis.Date = RealDate;
}

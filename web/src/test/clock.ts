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

  static override [Symbol.hasInstance](value: unknown) {
    return value instanceof RealDate;
  }
}

/**
 * Starts every test file at the same noon, from which the clock runs on: no test depends on the day
 * or the hour of the run. Needed before each test, because a test that freezes the clock itself
 * restores the real one.
 */
export function freezeClock() {
  globalThis.Date = FixedDate as unknown as DateConstructor;
}

/** Restores the real clock for the next file of the process. */
export function restoreClock() {
  globalThis.Date = RealDate;
}

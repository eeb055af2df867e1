/** A Wednesday noon, UTC. */
const noon = Date.UTC(2026, 10, 18, 12);
const Real = Date;
const ahead = noon - Real.now();
const now = () => Real.now() + ahead;

const Held = new Proxy(Real, {
  construct: (real, given, made) => Reflect.construct(real, given.length > 0 ? given : [now()], made),
  get: (real, name) => (name === 'now' ? now : Reflect.get(real, name)),
});

/**
 * Begins every file of tests at the same noon, from which the clock runs as it does: no test depends on the day or the
 * hour at which it is run. Needed before each test, for one that holds the clock itself lets go of the real one.
 */
export function holdNoon() {
  globalThis.Date = Held;
}

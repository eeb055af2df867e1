export interface Point {
  x: number;
  y: number;
}

interface Wave {
  /** The amplitude. */
  height: number;
  /** The wavelength. */
  length: number;
  /** The phase at the beginning, 0 to 1 of the wavelength. */
  phase?: number;
}

export interface Ridge {
  from: number;
  to: number;
  /** The mean height of the line; y grows downwards. */
  level: number;
  waves: readonly Wave[];
}

/** A line has at least `pieces` straight pieces, and none longer than `longest`. */
const pieces = 80;
const longest = 16;

/** The height of the line of hills at a place. */
export function ridgeAt({ level, waves }: Ridge, x: number): number {
  return waves.reduce(
    (y, { height, length, phase = 0 }) => y - height * Math.sin(2 * Math.PI * (x / length + phase)),
    level,
  );
}

/** The same line further down the slope, where it is flatter. */
export function terrace(ridge: Ridge, depth: number, flatter: number): Ridge {
  return {
    ...ridge,
    level: ridge.level + depth,
    waves: ridge.waves.map((wave) => ({ ...wave, height: wave.height * flatter })),
  };
}

export function ridgePoints(ridge: Ridge): Point[] {
  const count = Math.max(pieces, Math.ceil((ridge.to - ridge.from) / longest));
  return Array.from({ length: count + 1 }, (_, index) => {
    const x = ridge.from + ((ridge.to - ridge.from) * index) / count;
    return { x, y: ridgeAt(ridge, x) };
  });
}

/** As the `d` of a path. */
export function ridgeLine(ridge: Ridge): string {
  return `M${ridgePoints(ridge)
    .map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('L')}`;
}

/** With the ground below it, down to a depth. */
export function ridgeGround(ridge: Ridge, bottom: number): string {
  return `${ridgeLine(ridge)}V${bottom}H${ridge.from}Z`;
}

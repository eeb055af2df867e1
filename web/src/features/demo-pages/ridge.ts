export interface Point {
  x: number;
  y: number;
}

interface Wave {
  /** How far it rises and falls. */
  height: number;
  /** From crest to crest. */
  length: number;
  /** Where along its length it begins, 0 to 1. */
  phase?: number;
}

export interface Ridge {
  from: number;
  to: number;
  /** The height around which the line goes up and down; y grows downwards. */
  level: number;
  waves: readonly Wave[];
}

/** Straight pieces that a line is made of: so many at least, and none longer than this. */
const pieces = 80;
const longest = 16;

/** How high the line of hills is at a place. */
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

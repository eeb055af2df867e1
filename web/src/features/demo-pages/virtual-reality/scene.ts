import { type Ridge, ridgeAt, ridgeGround, ridgeLine, terrace } from '../ridge';

/**
 * The picture's size. The hills reach beyond it on both sides, since they move when the user looks
 * around.
 */
export const size = { width: 2800, height: 1000 };
const reach = { from: -700, to: size.width + 700 };

const bottom = size.height + 40;

interface Hill {
  /** The layer's style, by its place in the picture. */
  name: 'range' | 'ridge' | 'slope' | 'vineyard';
  /** How much the layer moves when the user looks around; the nearest one moves most, by 1. */
  depth: number;
  ground: string;
  /** Terraces, from the top. */
  lines: readonly string[];
}

const range: Ridge = {
  ...reach,
  level: 430,
  waves: [
    { height: 54, length: 1270, phase: 0.35 },
    { height: 26, length: 530, phase: 0.1 },
    { height: 9, length: 211 },
  ],
};
const ridge: Ridge = {
  ...reach,
  level: 515,
  waves: [
    { height: 48, length: 1730, phase: 0.7 },
    { height: 15, length: 640, phase: 0.2 },
  ],
};
const slope: Ridge = {
  ...reach,
  level: 600,
  waves: [
    { height: 52, length: 2100, phase: 0.15 },
    { height: 14, length: 830, phase: 0.5 },
  ],
};
const vineyard: Ridge = {
  ...reach,
  level: 680,
  waves: [
    { height: 46, length: 2600, phase: 0.62 },
    { height: 8, length: 900, phase: 0.3 },
  ],
};
/** The field in the foreground. */
export const field: Ridge = { ...reach, level: 800, waves: [{ height: 18, length: 2900, phase: 0.2 }] };

const terraces = (of: Ridge, count: number, apart: number) =>
  Array.from({ length: count }, (_, index) =>
    ridgeLine(terrace(of, (index + 1) * apart * (1 + index * 0.16), 1 - (index + 1) * 0.07)),
  );

export const hills: readonly Hill[] = [
  { name: 'range', depth: 0.15, ground: ridgeGround(range, bottom), lines: [] },
  { name: 'ridge', depth: 0.32, ground: ridgeGround(ridge, bottom), lines: terraces(ridge, 3, 15) },
  { name: 'slope', depth: 0.55, ground: ridgeGround(slope, bottom), lines: terraces(slope, 5, 16) },
  { name: 'vineyard', depth: 0.78, ground: ridgeGround(vineyard, bottom), lines: terraces(vineyard, 6, 19) },
];

export const fieldGround = ridgeGround(field, bottom);

const vanishing = { x: 1400, y: 640 };

/** Furrows that run towards one point far behind the field; the field clips them. */
export const furrows: readonly string[] = Array.from({ length: 65 }, (_, index) => {
  const end = reach.from + ((reach.to - reach.from) * index) / 64;
  const wide = vanishing.x + (end - vanishing.x) * 2.4;
  const half = (vanishing.x + wide) / 2 + (end - vanishing.x) * 0.06;
  return `M${vanishing.x} ${vanishing.y}Q${half.toFixed(1)} ${(vanishing.y + bottom) / 2} ${wide.toFixed(1)} ${bottom}`;
});

interface Tree {
  x: number;
  y: number;
  height: number;
}

/** Cypresses along the slope, in three groups. */
export const trees: readonly Tree[] = [
  [430, 74],
  [462, 92],
  [490, 66],
  [1580, 70],
  [1606, 96],
  [1640, 82],
  [1664, 58],
  [2330, 84],
  [2362, 68],
].map(([x = 0, height = 0]) => ({ x, y: ridgeAt(slope, x) + 8, height }));

/**
 * Stars for the dark theme: distributed evenly by two irrational steps, the same at every visit.
 */
export const stars: readonly { x: number; y: number; r: number }[] = Array.from({ length: 90 }, (_, index) => ({
  x: Math.round(-400 + ((index * 0.7549) % 1) * 3600),
  y: Math.round(10 + ((index * 0.5698) % 1) * 420),
  r: 0.7 + ((index * 7) % 11) * 0.13,
}));

/** The positions of the instruments, and their values. */
export const spots = [
  { name: 'air', x: 1330, y: ridgeAt(field, 1330) + 26, rise: 232, value: 18.4, unit: '°C', precision: 1 },
  { name: 'soil', x: 880, y: ridgeAt(vineyard, 880) + 96, rise: 4, value: 31, unit: '%', precision: 0 },
  { name: 'water', x: 1990, y: ridgeAt(vineyard, 1990) + 84, rise: 12, value: 3.12, unit: 'm', precision: 2 },
] as const;

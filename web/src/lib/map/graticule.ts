/** Degrees between two lines of the graticule, all easy to read. */
const steps = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];

/** The smallest step whose lines are at least that far apart. */
export function graticuleStep(degreesPerPixel: number, pixelsApart: number): number {
  const wanted = degreesPerPixel * pixelsApart;
  return steps.findLast((step) => step >= wanted) ?? 30;
}

/** The number of decimals that distinguishes two neighbouring lines. */
export function stepDecimals(step: number): number {
  return Math.max(0, -Math.floor(Math.log10(step)));
}

/** The multiples of a step between two bounds, inclusive. */
export function linesBetween(from: number, to: number, step: number): number[] {
  const lines: number[] = [];
  // Counts in whole steps: adding up 0.1 would drift.
  for (let i = Math.ceil(from / step); i * step <= to; i++) lines.push(Number((i * step).toFixed(stepDecimals(step))));
  return lines;
}

/** Metres that one pixel of a Mercator map of 256-pixel tiles covers. */
export function metresPerPixel(latitude: number, zoom: number): number {
  return (Math.cos((latitude * Math.PI) / 180) * 40_075_016.686) / (256 * 2 ** zoom);
}

/** The longest scale of 1, 2 or 5 times a power of ten metres that fits. */
export function scaleBar(metresAPixel: number, mostPixels: number): { metres: number; pixels: number } {
  const most = metresAPixel * mostPixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const digit = most / power;
  const metres = power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
  return { metres, pixels: metres / metresAPixel };
}

const width = 720;
const step = 20;

/** The height of a line at a place: a slope to the north-east with a rise and a hollow in it. */
function height(line: number, x: number): number {
  const fold = 21 * Math.sin(x / 132 + line * 0.24);
  const ripple = 7 * Math.sin(x / 71 - line * 0.21);
  return 130 + line * 41 - x * 0.13 + fold + ripple;
}

function path(line: number): string {
  const points: string[] = [];
  for (let x = -step; x <= width + step; x += step) points.push(`${x} ${height(line, x).toFixed(1)}`);
  return `M${points.join('L')}`;
}

/** The brand panel's contour lines in a drawing of 720 × 900, from the top down. */
export const contours: readonly string[] = Array.from({ length: 25 }, (_, line) => path(line - 1));

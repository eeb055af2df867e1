/** A name that wants to stand with its middle at a point, in pixels. */
export interface Label {
  id: number;
  text: string;
  x: number;
  y: number;
  /** Of what it names: larger things are named first. */
  size: number;
}

const height = 16;
const gap = 6;
/** Wide enough for most letters of our four scripts at 11.5 px; Chinese ones are twice as wide. */
function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += letter > '\u2e80' ? 12 : 6.6;
  return Math.min(width, 180);
}

/** Those names that can stand without covering each other, the larger things' first. */
export function placeLabels(labels: readonly Label[]): Label[] {
  const placed: Label[] = [];
  for (const label of [...labels].sort((a, b) => b.size - a.size || a.id - b.id)) {
    const free = placed.every((other) => {
      const beside = (widthOf(label.text) + widthOf(other.text)) / 2 + gap;
      return Math.abs(label.x - other.x) >= beside || Math.abs(label.y - other.y) >= height + gap;
    });
    if (free) placed.push(label);
  }
  return placed;
}

/**
 * The rows of equal height to render, with some more above and below the view; `to` is exclusive.
 */
export function rowsInView(
  count: number,
  rowHeight: number,
  top: number,
  height: number,
): { from: number; to: number } {
  const beside = 12;
  const from = Math.max(0, Math.floor(top / rowHeight) - beside);
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((top + height) / rowHeight) + beside) };
}

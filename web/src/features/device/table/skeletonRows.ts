/** Numbers to draw so many rows by, until there are devices. */
export function skeletonRows(count: number): number[] {
  return [...Array(count).keys()];
}

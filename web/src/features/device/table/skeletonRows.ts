/** Indices for placeholder rows until the devices are fetched. */
export function skeletonRows(count: number): number[] {
  return [...Array(count).keys()];
}

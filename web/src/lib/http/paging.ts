/** How many rows a page may have; the first is the default. */
export const pageSizes = [10, 100, 200, 300, 400] as const;

/** The number of the last page. */
export function lastPage(total: number, pageSize: number): number {
  return Math.max(1, Math.ceil(total / pageSize));
}

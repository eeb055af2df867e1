/** How many rows a page may have; the first is what a list begins with. */
export const pageSizes = [10, 100, 200, 300, 400] as const;

/** The last page that there is. */
export function lastPage(total: number, pageSize: number): number {
  return Math.max(1, Math.ceil(total / pageSize));
}

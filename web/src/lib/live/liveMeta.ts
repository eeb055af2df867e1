import type { ChangeKind } from './event';

/** In a query's `meta`: which changes made elsewhere make its answer old. */
export type LiveMeta = {
  /**
   * Refetches the query at once where it is shown, otherwise when it is next looked at. `reset`, events may have been
   * missed, is for queries that no page refetches by itself then.
   */
  refetchOn?: readonly (ChangeKind | 'reset')[];
  /** Refetches the query when it is next looked at, even if it is shown now. */
  staleOn?: readonly ChangeKind[];
};

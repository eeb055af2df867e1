import { create } from 'zustand';
import { useSession } from '@/lib/session/session';

/** A device that was just added or swapped. Its secret is null if the box has it already. */
export interface AddedDevice {
  kind: 'device';
  /** When it was swapped, in epoch ms; absent: it was added. */
  swapTime?: number;
  deviceName: string;
  noteName: string;
  secret: string | null;
}

/** A device of a table, with its secret. */
export interface AddedRow {
  deviceName: string;
  noteName: string;
  secret: string;
}

export interface AddedTable {
  kind: 'table';
  rows: readonly AddedRow[];
}

export type Added = AddedDevice | AddedTable;

interface AddedState {
  /**
   * What was added, until the user has stored its secrets. It is kept only in memory and only for the
   * signed-in user.
   */
  added: Added | null;
}

/**
 * Outlives the page on purpose: the server cannot show the secrets again, so they are shown when the
 * user returns.
 */
export const useAdded = create<AddedState>(() => ({ added: null }));

export function keepAdded(added: Added): void {
  useAdded.setState({ added });
}

export function forgetAdded(): void {
  useAdded.setState({ added: null });
}

/** Whether leaving would lose a secret. */
export function holdsSecret(added: Added | null): boolean {
  return added !== null && (added.kind === 'table' || added.secret !== null);
}

useSession.subscribe(({ session }, before) => {
  if (session?.userId !== before.session?.userId) forgetAdded();
});

import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface DensityState {
  compact: boolean;
}

/** How close the rows are to each other. It is stored in this browser, like the appearance. */
export const useDensity = create<DensityState>()(
  persist(() => ({ compact: false }) as DensityState, {
    name: 'tilth.device-table',
    merge: (stored, current) => ({
      ...current,
      compact: (stored as Partial<DensityState> | null | undefined)?.compact === true,
    }),
  }),
);

export function setCompact(compact: boolean): void {
  useDensity.setState({ compact });
}

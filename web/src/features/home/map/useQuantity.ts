import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { mapQuery } from '@/lib/device/queries';
import type { DeviceMap, MapQuantity } from '@/lib/device/types';
import { type Scale, scaleOf } from './ramp';

/** Stands in the address for a map of states alone. */
export const stateOnly = 'state';

export interface ShownQuantity {
  quantity: MapQuantity;
  /** Null until a device of the map has a value. */
  scale: Scale | null;
}

const none: MapQuantity[] = [];

/**
 * The quantity whose values the map shows: the one that the address names, else the first, by which
 * lists show the most devices. `data` becomes the map with its values, once they are known.
 */
export function useQuantity(plain: DeviceMap | undefined) {
  const { on } = useSearch({ strict: false });
  const navigate = useNavigate();
  const quantities = plain?.quantities ?? none;
  const quantity =
    on === stateOnly ? undefined : (quantities.find(({ identifier }) => identifier === on) ?? quantities[0]);
  const sign = quantity?.identifier;
  const valued = useQuery({
    ...mapQuery(null, sign),
    enabled: sign !== undefined,
    placeholderData: keepPreviousData,
  });
  const data = (sign === undefined ? undefined : valued.data) ?? plain;
  const markers = data?.markers;
  const leastSpan = quantity?.leastSpan;
  const scale = useMemo(() => {
    // What an offline device measured last is not there any more.
    const values = (markers ?? []).flatMap(({ reading, onlineState }) =>
      reading && onlineState === 1 ? [reading.value] : [],
    );
    return scaleOf(values, leastSpan);
  }, [markers, leastSpan]);
  const shown = useMemo<ShownQuantity | undefined>(() => quantity && { quantity, scale }, [quantity, scale]);
  const choose = (identifier: string) =>
    void navigate({ to: '.', search: (before) => ({ ...before, on: identifier }), replace: true, resetScroll: false });
  return { quantities, shown, data, choose };
}

import { useEffect, useMemo, useRef, useState } from 'react';
import type { RehearsedDevice } from '@/lib/alarm/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { keepRowOrder, worstFirst } from './rowOrder';

/**
 * Sorts rows, the worst first. While a pointer is over the rows or the focus is in them, existing
 * rows keep their places and new ones come below. Spread `hold` onto the container of the rows.
 */
export function useWorstFirst(rows: readonly RehearsedDevice[]) {
  const language = useLanguage((state) => state.language);
  const [pointed, setPointed] = useState(false);
  const [entered, setEntered] = useState(false);
  const previousOrder = useRef<readonly string[]>([]);
  const orderFrozen = pointed || entered;
  const ordered = useMemo(() => {
    const { compare } = new Intl.Collator(descriptors[language].intl, { numeric: true });
    return orderFrozen
      ? keepRowOrder(rows, previousOrder.current, worstFirst(compare))
      : [...rows].sort(worstFirst(compare));
  }, [rows, orderFrozen, language]);
  useEffect(() => {
    previousOrder.current = ordered.map(({ deviceName }) => deviceName);
  }, [ordered]);
  return {
    ordered,
    hold: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocus: () => setEntered(true),
      onBlur: () => setEntered(false),
    },
  };
}

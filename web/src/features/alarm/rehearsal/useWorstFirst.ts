import { useEffect, useMemo, useRef, useState } from 'react';
import type { RehearsedDevice } from '@/lib/alarm/types';
import { localeTags } from '@/lib/format/number';
import { useLanguage } from '@/lib/i18n/i18n';
import { keepRowOrder, worstFirst } from './rowOrder';

/**
 * Rows, the worst first. While somebody points at them, or has the keyboard in them, what stands there keeps its place and new ones
 * come below: `hold` goes on what they stand in.
 */
export function useWorstFirst(rows: readonly RehearsedDevice[]) {
  const language = useLanguage((state) => state.language);
  const [pointed, setPointed] = useState(false);
  const [entered, setEntered] = useState(false);
  const previousOrder = useRef<readonly string[]>([]);
  const orderFrozen = pointed || entered;
  const ordered = useMemo(() => {
    const { compare } = new Intl.Collator(localeTags[language], { numeric: true });
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

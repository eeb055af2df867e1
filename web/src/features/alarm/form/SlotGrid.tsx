import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clockText, slotsPerDay } from '@/lib/alarm/period';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import css from './SlotGrid.module.css';
import { paintSlots, slotAfter } from './slots';

interface SlotGridProps {
  slots: readonly number[];
  onChange: (slots: readonly number[]) => void;
  describedBy: string;
  invalid: boolean;
}

/**
 * A stroke of the pointer: where it began, whether it chooses or clears, and the slots that were
 * chosen before it.
 */
interface Stroke {
  from: number;
  on: boolean;
  before: readonly number[];
}

const slotText = (slot: number) => `${clockText(slot * 30)}–${clockText((slot + 1) * 30)}`;

/**
 * The half hours of a day. A click toggles one; a stroke sets all that it crosses to the same
 * state. Arrow keys, Space and Shift do the same.
 */
export function SlotGrid({ slots, onChange, describedBy, invalid }: SlotGridProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const columns = isPhone ? 8 : 24;
  const [active, setActive] = useState(slots[0] ?? 0);
  const stroke = useRef<Stroke | null>(null);
  const keys = useRef<Stroke | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const chosen = new Set(slots);

  useEffect(() => {
    const end = () => {
      stroke.current = null;
    };
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
    return () => {
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
    };
  }, []);

  const paint = ({ from, on, before }: Stroke, to: number) => onChange(paintSlots(before, from, to, on));
  const begin = (slot: number): Stroke => ({ from: slot, on: !chosen.has(slot), before: slots });

  const onPointerDown = (event: PointerEvent<HTMLElement>, slot: number) => {
    if (event.button !== 0) return;
    // A touch is captured by the element where it began; released, it reports every half hour that
    // it crosses.
    if (event.currentTarget.hasPointerCapture?.(event.pointerId)) {
      event.currentTarget.releasePointerCapture(event.pointerId);
    }
    setActive(slot);
    keys.current = null;
    stroke.current = begin(slot);
    paint(stroke.current, slot);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault();
      keys.current = begin(active);
      paint(keys.current, active);
      return;
    }
    const next = slotAfter(event.key, active, columns);
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey) {
      // The following half hours get the state that Space gave the first one; without Space they
      // are chosen.
      keys.current ??= { ...begin(active), on: true };
      paint(keys.current, next);
    } else keys.current = null;
    setActive(next);
    grid.current?.querySelector<HTMLElement>(`[data-slot="${next}"]`)?.focus();
  };

  const rows = Array.from({ length: slotsPerDay / columns }, (_, row) =>
    Array.from({ length: columns }, (_, i) => row * columns + i),
  );
  return (
    <div
      ref={grid}
      role="listbox"
      aria-multiselectable="true"
      aria-label={t('rule.form.slots')}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {rows.map((row) => (
        <div key={row[0]} className={css.row} role="presentation">
          <div className={css.hours} aria-hidden="true">
            {row
              .filter((slot) => slot % 2 === 0)
              .map((slot) => (
                <span key={slot}>{clockText(slot * 30).slice(0, 2)}</span>
              ))}
          </div>
          <div className={css.slots} role="presentation">
            {row.map((slot) => (
              <div
                key={slot}
                role="option"
                data-slot={slot}
                className={`${css.slot} ${chosen.has(slot) ? css.on : ''}`}
                aria-selected={chosen.has(slot)}
                aria-label={slotText(slot)}
                title={slotText(slot)}
                tabIndex={slot === active ? 0 : -1}
                onFocus={() => setActive(slot)}
                onPointerDown={(event) => onPointerDown(event, slot)}
                onPointerEnter={() => {
                  if (stroke.current) paint(stroke.current, slot);
                }}
              />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

import { Checkbox } from 'antd';
import { useId, useRef, useState } from 'react';
import css from './StoredCheck.module.css';

/** Whether the user says that a secret is stored, without which the dialog that shows it stays open. */
export function useStoredCheck() {
  const [stored, setStored] = useState(false);
  const [early, setEarly] = useState(false);
  const box = useRef<HTMLInputElement | null>(null);
  return {
    stored,
    /** The user wanted to close the dialog before. */
    early: early && !stored,
    box,
    set: setStored,
    /** Whether it is ticked; if not, says so at the box. */
    demand: () => {
      if (stored) return true;
      setEarly(true);
      box.current?.focus();
      return false;
    },
    forget: () => {
      setStored(false);
      setEarly(false);
    },
  };
}

interface StoredCheckProps {
  check: Omit<ReturnType<typeof useStoredCheck>, 'demand' | 'forget'>;
  label: string;
  /** Shown if the user wanted to close the dialog before. */
  warning: string;
}

/** The box in the footer of a dialog that shows a secret once. */
export function StoredCheck({ check: { stored, early, box, set }, label, warning }: StoredCheckProps) {
  const id = useId();
  return (
    <div className={css.stored}>
      <Checkbox
        ref={(checkbox) => {
          box.current = checkbox?.input ?? null;
        }}
        checked={stored}
        onChange={({ target }) => set(target.checked)}
        aria-describedby={early ? id : undefined}
      >
        {label}
      </Checkbox>
      {early ? (
        <p className={css.early} id={id} role="alert">
          {warning}
        </p>
      ) : null}
    </div>
  );
}

import { type ReactNode, useState } from 'react';
import { useSaver } from '@/lib/saver';
import css from './OnTap.module.css';

/** Whether something is to be fetched: always without the data saver, with it once somebody asks. */
export function useOnTap(): [shown: boolean, show: () => void] {
  const saver = useSaver();
  const [asked, setAsked] = useState(false);
  return [!saver || asked, () => setAsked(true)];
}

interface OnTapProps {
  icon: ReactNode;
  /** What stands on the button. */
  words: string;
  /** What is spoken, where the words alone are many times on the page. */
  label?: string;
  onTap: () => void;
}

/** In the place of what the data saver leaves out: the way to it. */
export function OnTap({ icon, words, label, onTap }: OnTapProps) {
  return (
    <button type="button" className={css.tap} aria-label={label} onClick={onTap}>
      <span className={css.icon} aria-hidden="true">
        {icon}
      </span>
      <span className={css.words}>{words}</span>
    </button>
  );
}

import { type ReactNode, useState } from 'react';
import { useDataSaver } from '@/lib/storage/dataSaver';
import css from './LoadOnDemand.module.css';

/** Whether to fetch something: always without the data saver, with it only on request. */
export function useLoadOnDemand(): [shown: boolean, show: () => void] {
  const dataSaver = useDataSaver();
  const [requested, setRequested] = useState(false);
  return [!dataSaver || requested, () => setRequested(true)];
}

interface LoadOnDemandProps {
  icon: ReactNode;
  /** The button's text. */
  words: string;
  /** The text for screen readers, if the words occur many times on the page. */
  label?: string;
  onTap: () => void;
}

/** Replaces content that the data saver leaves out, with a button that loads it. */
export function LoadOnDemand({ icon, words, label, onTap }: LoadOnDemandProps) {
  return (
    <button type="button" className={css.tap} aria-label={label} onClick={onTap}>
      <span className={css.icon} aria-hidden="true">
        {icon}
      </span>
      <span className={css.words}>{words}</span>
    </button>
  );
}

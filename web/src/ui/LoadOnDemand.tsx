import { type ReactNode, useState } from 'react';
import { useDataSaver } from '@/lib/storage/dataSaver';
import css from './LoadOnDemand.module.css';

/** Whether something is to be fetched: always without the data saver, with it once somebody asks. */
export function useLoadOnDemand(): [shown: boolean, show: () => void] {
  const dataSaver = useDataSaver();
  const [requested, setRequested] = useState(false);
  return [!dataSaver || requested, () => setRequested(true)];
}

interface LoadOnDemandProps {
  icon: ReactNode;
  /** What stands on the button. */
  words: string;
  /** What is spoken, where the words alone are many times on the page. */
  label?: string;
  onTap: () => void;
}

/** In the place of what the data saver leaves out: the way to it. */
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

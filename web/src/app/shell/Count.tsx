import css from './Count.module.css';

interface CountProps {
  count: number;
  /** What is counted, for screen readers and on hover. */
  meaning: string;
  alarm?: boolean;
  className?: string;
}

/** The number beside an entry of the menu. */
export function Count({ count, meaning, alarm = false, className = '' }: CountProps) {
  return (
    <span className={`${css.count} ${alarm ? css.alarm : ''} ${className}`} title={meaning}>
      <span aria-hidden="true">{count > 999 ? '999+' : count}</span>
      <span className="visually-hidden">{meaning}</span>
    </span>
  );
}

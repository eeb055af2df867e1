import css from './Dot.module.css';

interface DotProps {
  /** Filled, hollow, or a diamond: told apart without colour too. */
  state: 'online' | 'offline' | 'alarm';
  /** The word for it, spoken where no word stands beside the mark. */
  label?: string;
}

/** The state of a device, shrunk to a mark for rows and legends. */
export function Dot({ state, label }: DotProps) {
  return (
    <span className={`${css.dot} ${css[state]}`} title={label}>
      {label ? <span className="visually-hidden">{label}</span> : null}
    </span>
  );
}

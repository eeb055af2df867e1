import css from './Dot.module.css';

interface DotProps {
  /** Filled, hollow, or a diamond: distinguishable without colour. */
  state: 'online' | 'offline' | 'alarm';
  /** The word for it, for screen readers where no word is beside the mark. */
  label?: string;
}

/** The state of a device as a small mark for rows and legends. */
export function Dot({ state, label }: DotProps) {
  return (
    <span className={`${css.dot} ${css[state]}`} title={label}>
      {label ? <span className="visually-hidden">{label}</span> : null}
    </span>
  );
}

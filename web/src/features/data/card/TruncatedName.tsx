import css from './Card.module.css';
import { splitName } from './splitName';

interface TruncatedNameProps {
  name: string;
  /** The visible names from which this one must be distinguishable. */
  siblings: readonly string[];
}

/** A name in one line. If it does not fit, the part that distinguishes it from the others stays. */
export function TruncatedName({ name, siblings }: TruncatedNameProps) {
  const [start, end] = splitName(name, siblings);
  return (
    <span className={css.cut} title={name}>
      <span className={css.start}>{start}</span>
      {end ? <span className={css.end}>{end}</span> : null}
    </span>
  );
}

import css from './Card.module.css';
import { splitDepth, splitName } from './splitName';

interface TruncatedNameProps {
  name: string;
  /** The visible names from which this one must be distinguishable. */
  siblings: readonly string[];
}

/**
 * A name in one line. If it does not fit, the part that distinguishes it from the others stays; a
 * depth is always whole.
 */
export function TruncatedName({ name, siblings }: TruncatedNameProps) {
  const measured = splitDepth(name);
  const [start, end] = measured ?? splitName(name, siblings);
  return (
    <span className={css.cut} title={name}>
      <span className={css.start}>{start}</span>
      {end ? <span className={measured ? css.depth : css.end}>{end}</span> : null}
    </span>
  );
}

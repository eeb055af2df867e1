import css from './Card.module.css';
import { splitDepth, splitName } from './splitName';

interface TruncatedNameProps {
  name: string;
  /** The visible names from which this one must be distinguishable. */
  siblings: readonly string[];
  /** Whether there is room for two lines. */
  tall?: boolean;
}

/** Longer names need more than two lines in the narrowest card. */
const twoLinesLength = 34;

/**
 * A name in one line, or in two. If it does not fit, the part that distinguishes it from the others
 * stays; a depth is always whole.
 */
export function TruncatedName({ name, siblings, tall = false }: TruncatedNameProps) {
  const measured = splitDepth(name);
  const [start, end] = measured ?? splitName(name, siblings);
  if (tall && name.length <= twoLinesLength) {
    return (
      <span className={css.two} title={name}>
        {measured ? start : name}
        {/* The line breaks before a depth, at its blank if it has one. */}
        {measured && end.startsWith(' ') ? ' ' : null}
        {measured ? <span className={css.depth}>{end.trimStart()}</span> : null}
      </span>
    );
  }
  return (
    <span className={css.cut} title={name}>
      <span className={css.start}>{start}</span>
      {end ? <span className={measured ? css.depth : css.end}>{end}</span> : null}
    </span>
  );
}

import css from './Card.module.css';
import { splitName } from './splitName';

interface TruncatedNameProps {
  name: string;
  /** The names in sight from which it must be told. */
  beside: readonly string[];
}

/** A name in one line; what tells it from the others stays where there is too little room. */
export function TruncatedName({ name, beside }: TruncatedNameProps) {
  const [start, end] = splitName(name, beside);
  return (
    <span className={css.cut} title={name}>
      <span className={css.start}>{start}</span>
      {end ? <span className={css.end}>{end}</span> : null}
    </span>
  );
}

import css from './Card.module.css';
import { cutName } from './cutName';

interface PropertyNameProps {
  name: string;
  /** The names of the same card, from which it must be told. */
  beside: readonly string[];
}

/** The name of a property in one line; what tells it from the others stays where there is too little room. */
export function PropertyName({ name, beside }: PropertyNameProps) {
  const [start, end] = cutName(name, beside);
  return (
    <span className={css.cut} title={name}>
      <span className={css.start}>{start}</span>
      {end ? <span className={css.end}>{end}</span> : null}
    </span>
  );
}

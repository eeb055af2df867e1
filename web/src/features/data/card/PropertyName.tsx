import css from './Card.module.css';
import { cutName } from './cutName';

/** The name of a property in one line; what stands at its end stays where there is too little room. */
export function PropertyName({ name }: { name: string }) {
  const [start, end] = cutName(name);
  return (
    <span className={css.cut} title={name}>
      <span className={css.start}>{start}</span>
      {end ? <span className={css.end}>{end}</span> : null}
    </span>
  );
}

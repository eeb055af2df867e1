import css from './NotFetched.module.css';

/** Stands where a list would be that could not be fetched; the page's ErrorNote says why. */
export function NotFetched({ title }: { title: string }) {
  return <p className={css.text}>{title}</p>;
}

import css from './Bar.module.css';

/**
 * A share of one as a bar that fills in reading direction. The figures stand beside it, so screen
 * readers skip it.
 */
export function Bar({ share }: { share: number }) {
  return (
    <span className={css.bar} aria-hidden="true">
      <span className={css.fill} style={{ inlineSize: `${Math.min(share, 1) * 100}%` }} />
    </span>
  );
}

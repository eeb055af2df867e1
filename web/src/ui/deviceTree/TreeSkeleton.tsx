import { Loading, Skeleton } from '../Skeleton';
import css from './TreeSkeleton.module.css';

const widths = ['58%', '84%', '76%', '88%', '62%', '80%', '72%', '86%'];

/** Replaces the tree while its devices are loading. */
export function TreeSkeleton() {
  return (
    <Loading>
      <div className={css.skeleton}>
        {widths.map((width) => (
          <Skeleton key={width} height={16} width={width} />
        ))}
      </div>
    </Loading>
  );
}

import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import css from './Skeleton.module.css';

interface SkeletonProps {
  /**
   * A CSS length or a number of pixels. The height is that of the final content, so that nothing
   * jumps.
   */
  height: number | string;
  width?: number | string;
  radius?: number;
}

/** A bar in place of content that is loading. Put the bars of one area into a Loading. */
export function Skeleton({ height, width = '100%', radius = 6 }: SkeletonProps) {
  return <span className={css.bar} style={{ height, width, borderRadius: radius }} aria-hidden="true" />;
}

/** Announces once to a screen reader that an area is loading, while its bars are visible. */
export function Loading({ label, children }: { label?: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div aria-busy="true">
      <span className="visually-hidden" role="status">
        {label ?? t('common.loading')}
      </span>
      {children}
    </div>
  );
}

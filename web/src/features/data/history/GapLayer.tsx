import { useTranslation } from 'react-i18next';
import { durationText } from './duration';
import css from './GapLayer.module.css';
import { type Geometry, xOf } from './geometry';
import type { Model } from './model';
import type { Span } from './range';

interface GapLayerProps {
  model: Model;
  geometry: Geometry;
  window: Span;
  /** Shows only the duration, for lack of room. */
  brief: boolean;
}

/** Narrower gaps show only as a break in the line. */
const minWidth = 2;
/** The width that the texts need, in pixels. */
const wordsWidth = { full: 128, brief: 60 };

/** Periods without readings: hatched, with their duration where it fits. */
export function GapLayer({ model, geometry, window, brief }: GapLayerProps) {
  const { t } = useTranslation();
  const right = geometry.left + geometry.width;
  let labelled = false;
  return (
    <div className={css.layer} aria-hidden="true">
      {model.panels.map((panel, index) => {
        const box = geometry.boxes[index];
        if (!box || panel.kind === 'step') return null;
        // Only the first panel has the texts.
        const showsText = !labelled;
        labelled = true;
        return panel.sharedGaps.map((gap) => {
          const from = Math.max(geometry.left, xOf(gap.from, window, geometry));
          const to = Math.min(right, xOf(gap.to, window, geometry));
          if (to - from < minWidth) return null;
          const length = durationText(gap.to - gap.from, t);
          const words =
            !brief && to - from >= wordsWidth.full
              ? t('history.gap', { duration: length })
              : to - from >= wordsWidth.brief
                ? length
                : '';
          return (
            <div
              key={`${panel.key} ${gap.from}`}
              className={css.gap}
              style={{ left: from, width: to - from, top: box.top, height: box.height }}
            >
              {showsText && words ? <span className={css.words}>{words}</span> : null}
            </div>
          );
        });
      })}
    </div>
  );
}

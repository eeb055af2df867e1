import { useFormat } from '@/lib/format/format';
import { type Measure, truncateToWidth } from '@/ui/chart/measure';
import type { Geometry } from './geometry';
import { headHeight } from './geometry';
import css from './LabelLayer.module.css';
import { placeNames } from './labels';
import type { Model } from './model';
import type { Span } from './range';

interface LabelLayerProps {
  model: Model;
  geometry: Geometry;
  window: Span;
  /**
   * Whether each line's name stands near its end; on a phone the chips above the chart name the
   * lines.
   */
  names: boolean;
  measure: Measure;
}

/** Each panel's unit above it, and the lines' names near their ends. */
export function LabelLayer({ model, geometry, window, names, measure }: LabelLayerProps) {
  const format = useFormat();
  const bold = (words: string) => measure(words, 'name');
  return (
    <div className={css.layer} aria-hidden="true">
      {model.panels.map((panel, index) => {
        const box = geometry.boxes[index];
        if (!box) return null;
        const alone = panel.kind === 'step' ? panel.attributes[0]?.name : undefined;
        const head = alone ?? (format.unit(panel.unit) || soleName(panel.attributes, names));
        return (
          <div key={panel.key}>
            <span className={css.unit} style={{ left: geometry.left, top: box.top - headHeight + 4 }}>
              {truncateToWidth(head, geometry.width, bold)}
            </span>
            {names
              ? placeNames(panel, box, geometry, window, bold).map(({ trace, words, x, y }) => (
                  <span
                    key={trace.attribute.id}
                    className={css.name}
                    style={{ left: x, top: y, color: `var(--c${trace.color + 1})` }}
                  >
                    {words}
                  </span>
                ))
              : null}
          </div>
        );
      })}
    </div>
  );
}

/**
 * An attribute without a unit has its name in the unit's place, unless the name stands at the
 * line's end.
 */
function soleName(attributes: readonly { name: string }[], names: boolean): string {
  return attributes.length === 1 && !names ? (attributes[0]?.name ?? '') : '';
}

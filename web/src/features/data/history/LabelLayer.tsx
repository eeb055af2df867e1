import { useFormat } from '@/lib/format/format';
import { type Measure, truncateToWidth } from '@/ui/chart/measure';
import { type Geometry, headHeight } from './geometry';
import css from './LabelLayer.module.css';
import { leaderWidth, needsLeader, placeNames } from './labels';
import type { Model } from './model';
import type { Span } from './range';

interface LabelLayerProps {
  model: Model;
  geometry: Geometry;
  /** The width of the gutter at the right of the plots. */
  gutter: number;
  window: Span;
  /**
   * Whether the names of the lines stand in the gutter; on a phone the chips above the chart name
   * the lines.
   */
  names: boolean;
  measure: Measure;
}

/** Each panel's unit above it, and the lines' names beside their ends. */
export function LabelLayer({ model, geometry, gutter, window, names, measure }: LabelLayerProps) {
  const format = useFormat();
  const bold = (words: string) => measure(words, 'name');
  const right = geometry.left + geometry.width;
  return (
    <div className={css.layer} aria-hidden="true">
      {model.panels.map((panel, index) => {
        const box = geometry.boxes[index];
        if (!box) return null;
        const alone = panel.kind === 'step' ? panel.attributes[0]?.name : undefined;
        const head = alone ?? (format.unit(panel.unit) || soleName(panel.attributes, names));
        const placed = names ? placeNames(panel, box, gutter, window, bold) : [];
        return (
          <div key={panel.key}>
            <span className={css.unit} style={{ left: geometry.left, top: box.top - headHeight + 4 }}>
              {truncateToWidth(head, geometry.width, bold)}
            </span>
            <svg className={css.leaders} aria-hidden="true">
              {placed.filter(needsLeader).map(({ trace, y, end }) => (
                <line
                  key={trace.attribute.id}
                  x1={right + 1}
                  x2={right + leaderWidth - 2}
                  y1={end}
                  y2={y}
                  stroke={`var(--c${trace.color + 1})`}
                />
              ))}
            </svg>
            {placed.map(({ trace, words, y }) => (
              <span
                key={trace.attribute.id}
                className={css.name}
                style={{ left: right + leaderWidth, top: y, color: `var(--c${trace.color + 1})` }}
              >
                {words}
              </span>
            ))}
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

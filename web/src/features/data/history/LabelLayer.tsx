import { useFormat } from '@/lib/format/format';
import type { Scale } from '@/ui/chart/scale';
import { apart, type Box, type Geometry, headHeight, timeAt, yOf } from './geometry';
import css from './LabelLayer.module.css';
import type { Model, Trace } from './model';
import type { Span } from './range';
import { extent } from './series';

interface LabelLayerProps {
  model: Model;
  geometry: Geometry;
  window: Span;
  /** Each line's name at its end; on a phone the chips above the chart name them. */
  names: boolean;
}

const nameHeight = 16;
/** Of a usual name, in pixels. */
const nameWidth = 120;

/** Each panel's unit above it, and the lines' names at their ends. */
export function LabelLayer({ model, geometry, window, names }: LabelLayerProps) {
  const format = useFormat();
  return (
    <div className={css.layer} aria-hidden="true">
      {model.panels.map((panel, index) => {
        const box = geometry.boxes[index];
        if (!box) return null;
        const alone = panel.kind === 'step' ? panel.attributes[0]?.name : undefined;
        const named = names
          ? panel.traces.filter(({ compared, bars, attribute }) => !compared && !bars && attribute.kind === 'line')
          : [];
        const ends = named.flatMap((trace) => {
          const y = placeFor(trace, panel.scale, box, geometry, window);
          return y === null ? [] : [{ trace, y }];
        });
        const ys = apart(
          ends.map(({ y }) => y),
          nameHeight,
          box,
        );
        return (
          <div key={panel.key}>
            <span className={css.unit} style={{ left: geometry.left, top: box.top - headHeight + 4 }}>
              {alone ?? (format.unit(panel.unit) || soleName(panel.attributes, names))}
            </span>
            {ends.map(({ trace }, at) => (
              <span
                key={trace.attribute.id}
                className={css.name}
                style={{ right: 4, top: (ys[at] ?? 0) - nameHeight / 2, color: `var(--c${trace.color + 1})` }}
              >
                {trace.attribute.name}
              </span>
            ))}
          </div>
        );
      })}
    </div>
  );
}

/** Of what has no unit the name stands in its place, unless it stands at the line's end. */
function soleName(attributes: readonly { name: string }[], names: boolean): string {
  return attributes.length === 1 && !names ? (attributes[0]?.name ?? '') : '';
}

/** Beside the line's last stretch, as long as a name: above it, or below where there is no room. */
function placeFor({ line }: Trace, scale: Scale, box: Box, geometry: Geometry, window: Span): number | null {
  const stretch = { from: timeAt(geometry.left + geometry.width - nameWidth, window, geometry), to: window.to };
  const found = extent(line, stretch);
  if (!found) return null;
  const above = yOf(found[1], scale, box) - nameHeight / 2 - 2;
  return above - nameHeight / 2 < box.top - 8 ? yOf(found[0], scale, box) + nameHeight / 2 + 2 : above;
}

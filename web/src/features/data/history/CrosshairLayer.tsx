import { useTranslation } from 'react-i18next';
import { missingValue, useFormat } from '@/lib/format/format';
import css from './CrosshairLayer.module.css';
import type { Crosshair } from './crosshair';
import { crosshairTime, rawText, spreadText } from './crosshairText';
import { readingText } from './figures';
import { type Geometry, xOf, yOf } from './geometry';
import type { Model } from './model';
import type { Span } from './range';

interface CrosshairLayerProps {
  crosshair: Crosshair;
  model: Model;
  geometry: Geometry;
  window: Span;
  otherTitle: string | null;
}

/**
 * The crosshair: a line through all panels, a dot on each line, and the values. The chart's surface
 * announces the values to screen readers.
 */
export function CrosshairLayer({ crosshair, model, geometry, window, otherTitle }: CrosshairLayerProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const x = xOf(crosshair.time, window, geometry);
  const first = geometry.boxes[0];
  const last = geometry.boxes.at(-1);
  if (!first || !last) return null;
  const rightHalf = x > geometry.left + geometry.width / 2;
  return (
    <div className={css.layer} aria-hidden="true">
      <div
        className={css.line}
        style={{ left: x, top: first.top - 8, height: last.top + last.height - first.top + 16 }}
      />
      {crosshair.marks.map(({ trace, panel, time, value }) => {
        const box = geometry.boxes[panel];
        const scale = model.panels[panel]?.scale;
        if (value === null || !box || !scale || trace.bars) return null;
        const at = xOf(time, window, geometry);
        if (at < geometry.left - 1 || at > geometry.left + geometry.width + 1) return null;
        return (
          <span
            key={`${trace.attribute.id} ${trace.compared}`}
            className={css.dot}
            style={{ left: at, top: yOf(value, scale, box), borderColor: `var(--c${trace.color + 1})` }}
          />
        );
      })}
      <div className={css.box} style={rightHalf ? { right: `calc(100% - ${x - 14}px)` } : { left: x + 14 }}>
        <p className={css.time}>{crosshairTime(crosshair, format)}</p>
        <dl className={css.values}>
          {crosshair.marks.map(({ trace, value, raw, spread }) => (
            <div key={`${trace.attribute.id} ${trace.compared}`} className={trace.compared ? css.other : undefined}>
              <dt>
                <span className={css.swatch} style={{ background: `var(--c${trace.color + 1})` }} />
                {trace.compared ? (otherTitle ?? t('history.compare.other')) : trace.attribute.name}
              </dt>
              <dd>
                {value === null ? missingValue : readingText(trace.attribute, value, format)}
                {raw === undefined ? null : (
                  <span className={css.spread}>
                    {t('calibration.raw.value', { value: rawText(trace.attribute, raw, format) })}
                  </span>
                )}
                {spread ? <span className={css.spread}>{spreadText(trace.attribute, spread, format)}</span> : null}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

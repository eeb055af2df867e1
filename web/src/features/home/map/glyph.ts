import type { Presence } from './clusters';
import css from './glyph.module.css';

/**
 * Marks as SVG text, since Leaflet takes HTML: it contains only numbers and our own class names,
 * never a name that a user gave. Filled, struck out or with a diamond: the states differ without
 * colour too. The mark's position is 0 0.
 */
const svgStart = '<svg viewBox="-22 -22 44 44" width="44" height="44" aria-hidden="true">';
const halo = `<circle class="${css.halo}" r="17"/>`;

/** The alarm sign, at the upper right of the mark: filled and red for a serious alarm only. */
const alarmSign = (level: number, x: number, y: number) =>
  `<g transform="translate(${x} ${y})" data-level="${level}"><rect class="${level === 2 ? css.alarm : css.lesser}" x="-5.5" y="-5.5" width="11" height="11" rx="1.5" transform="rotate(45)"/><path class="${level === 2 ? css.call : css.lesserCall}" d="M0-3.2v3.4M0 2.8v.4"/></g>`;

/** A value to show in place of a plain mark. */
export interface ValueLook {
  /** The formatted number; undefined where there is only room for a dot in its colour. */
  text: string | undefined;
  /** Of the ramp. */
  step: number;
}

/**
 * A device in alarm still shows its presence: online in alarm and offline in alarm are different
 * matters. `level` is that of its alarm.
 */
export function deviceGlyph(
  presence: Presence,
  level: number | undefined,
  selected: boolean,
  value?: ValueLook,
): string {
  if (value?.text !== undefined) return pill(presence, level, selected, value.text, value.step);
  const glow = selected ? halo : '';
  const mark = level === undefined ? '' : alarmSign(level, 6.5, -6.5);
  if (presence === 'online') {
    const tick = selected ? `<path class="${css.tick}" d="M-3.6 0l2.6 2.7 4.6-5"/>` : '';
    const colour = value ? `${css.valued} ${css[`step${value.step}`]}` : css.online;
    return `${svgStart}${glow}<circle class="${colour}" r="${selected ? 9 : 7}"/>${value ? '' : tick}${mark}</svg>`;
  }
  return `${svgStart}${glow}<circle class="${css.offline}" r="${selected ? 8.5 : 6.5}"/><path class="${css.strike}" d="M-4 4l8-8"/>${mark}</svg>`;
}

/** The last value of an offline device has no colour of the ramp: it is not what is there now. */
function pill(presence: Presence, level: number | undefined, selected: boolean, text: string, step: number): string {
  const half = Math.max(14, Math.min(24, 6.5 + text.length * 3.3));
  const look = presence === 'online' ? css[`step${step}`] : css.past;
  const ring = selected
    ? `<rect class="${css.ring}" x="${-half - 3.5}" y="-14.5" width="${2 * half + 7}" height="29" rx="14.5"/>`
    : '';
  const size = text.length > 6 ? css.smaller : '';
  const mark = level === undefined ? '' : alarmSign(level, half - 2, -10);
  return (
    `${svgStart}${ring}<rect class="${css.pill} ${look}" x="${-half}" y="-10.5" width="${2 * half}" height="21" rx="10.5"/>` +
    `<text class="${css.number} ${look} ${size}" y="4" text-anchor="middle">${text}</text>${mark}</svg>`
  );
}

/** `text` is the formatted count. */
export function clusterGlyph(presence: Presence, alarm: boolean, text: string): string {
  const radius = text.length > 4 ? 19 : text.length > 3 ? 17 : 15;
  const corner = radius * 0.72;
  const badge = alarm
    ? `<rect class="${css.badge}" x="-4.5" y="-4.5" width="9" height="9" rx="1" transform="translate(${corner} ${-corner}) rotate(45)"/>`
    : '';
  const quiet = presence === 'offline' ? css.quiet : '';
  return (
    `${svgStart}<circle class="${css.cluster} ${quiet}" r="${radius}"/>` +
    `<text class="${css.count} ${quiet}" y="4" text-anchor="middle">${text}</text>${badge}</svg>`
  );
}

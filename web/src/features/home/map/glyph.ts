import type { Presence } from './clusters';
import css from './glyph.module.css';

/**
 * Marks as SVG text, since Leaflet takes HTML: it contains only numbers and our own class names,
 * never a name that a user gave. Filled, struck out or with a diamond: the states differ without
 * colour too. The mark's position is 0 0.
 */
const svgStart = '<svg viewBox="-22 -22 44 44" width="44" height="44" aria-hidden="true">';
const halo = `<circle class="${css.halo}" r="17"/>`;

/** The alarm sign, at the upper right of the mark. */
const alarmSign = `<g transform="translate(6.5 -6.5)"><rect class="${css.alarm}" x="-5.5" y="-5.5" width="11" height="11" rx="1.5" transform="rotate(45)"/><path class="${css.call}" d="M0-3.2v3.4M0 2.8v.4"/></g>`;

/**
 * A device in alarm still shows its presence: online in alarm and offline in alarm are different
 * matters.
 */
export function deviceGlyph(presence: Presence, alarm: boolean, selected: boolean): string {
  const glow = selected ? halo : '';
  const mark = alarm ? alarmSign : '';
  if (presence === 'online') {
    const tick = selected ? `<path class="${css.tick}" d="M-3.6 0l2.6 2.7 4.6-5"/>` : '';
    return `${svgStart}${glow}<circle class="${css.online}" r="${selected ? 9 : 7}"/>${tick}${mark}</svg>`;
  }
  return `${svgStart}${glow}<circle class="${css.offline}" r="${selected ? 8.5 : 6.5}"/><path class="${css.strike}" d="M-4 4l8-8"/>${mark}</svg>`;
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

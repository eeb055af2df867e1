import type { MarkState } from '@/lib/device/types';
import css from './glyph.module.css';

/**
 * Marks as SVG text, for Leaflet takes HTML: numbers and our own class names go in, never a name that somebody gave. Filled, struck
 * out or a diamond: told apart without colour too. 0 0 is the place.
 */
const open = '<svg viewBox="-22 -22 44 44" width="44" height="44" aria-hidden="true">';
const halo = `<circle class="${css.halo}" r="17"/>`;

export function deviceGlyph(state: MarkState, selected: boolean): string {
  const glow = selected ? halo : '';
  switch (state) {
    case 'online': {
      const tick = selected ? `<path class="${css.tick}" d="M-3.6 0l2.6 2.7 4.6-5"/>` : '';
      return `${open}${glow}<circle class="${css.online}" r="${selected ? 9 : 7}"/>${tick}</svg>`;
    }
    case 'offline':
      return `${open}${glow}<circle class="${css.offline}" r="${selected ? 8.5 : 6.5}"/><path class="${css.strike}" d="M-4 4l8-8"/></svg>`;
    case 'alarm':
      return (
        `${open}${glow}<rect class="${css.alarm}" x="-8" y="-8" width="16" height="16" rx="2" transform="rotate(45)"/>` +
        `<path class="${css.call}" d="M0-4.2v5M0 3.2v1.2"/></svg>`
      );
  }
}

/** `text` is a count, formatted. */
export function clusterGlyph(state: MarkState, text: string, muted = false): string {
  const radius = text.length > 4 ? 19 : text.length > 3 ? 17 : 15;
  const corner = radius * 0.72;
  const badge =
    state === 'alarm'
      ? `<rect class="${css.badge}" x="-4.5" y="-4.5" width="9" height="9" rx="1" transform="translate(${corner} ${-corner}) rotate(45)"/>`
      : '';
  const quiet = state === 'offline' || muted ? css.quiet : '';
  return (
    `${open}<circle class="${css.cluster} ${quiet}" r="${radius}"/>` +
    `<text class="${css.count} ${quiet}" y="4" text-anchor="middle">${text}</text>${badge}</svg>`
  );
}

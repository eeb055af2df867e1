import L from 'leaflet';
import { defaultPlace, type Place } from '@/lib/map/place';
import { clusterGlyph } from './glyph';
import css from './marks.module.css';

/**
 * The devices without a position, as one muted mark at the default position, so that nobody takes
 * it for their real position.
 */
export class UnplacedMark {
  private readonly map: L.Map;
  private marker: L.Marker | undefined;

  constructor(map: L.Map) {
    this.map = map;
  }

  clear(): void {
    this.marker?.remove();
    this.marker = undefined;
  }

  /** `words` is for screen readers, `label` stands beside the mark. */
  draw(count: number, text: string, words: string, label: string, at: (place: Place) => L.LatLngTuple): void {
    this.clear();
    if (count === 0) return;
    const html = `${clusterGlyph('offline', false, text)}<span></span>`;
    const icon = L.divIcon({ className: css.unplaced, html, iconSize: [44, 44], iconAnchor: [22, 22] });
    this.marker = L.marker(at(defaultPlace), { icon, interactive: false, keyboard: false }).addTo(this.map);
    const element = this.marker.getElement();
    element?.setAttribute('role', 'img');
    element?.setAttribute('aria-label', words);
    const name = element?.querySelector('span');
    if (name) name.textContent = label;
  }
}

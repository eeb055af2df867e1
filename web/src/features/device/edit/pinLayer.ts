import L from 'leaflet';
import { nearestCopy } from '@/lib/map/copies';
import css from './pin.module.css';

/** In pixels; with Shift the smaller one. */
const steps = { usual: 10, small: 1 };
const directions: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const glyph =
  '<svg viewBox="-34 -34 68 68" width="68" height="68" aria-hidden="true">' +
  `<circle class="${css.halo}" r="34"/>` +
  `<path class="${css.body}" d="M0 0C-9-13-13-18-13-25a13 13 0 0 1 26 0c0 7-4 12-13 25z"/>` +
  `<circle class="${css.eye}" cy="-25" r="4.6"/><circle class="${css.grip}" cy="-19" r="22"/></svg>`;

/** A single pin, which is placed by a click on the map, dragged, or moved by the arrow keys. */
export class PinLayer {
  private readonly map: L.Map;
  private readonly choose: (point: L.LatLng) => void;
  private marker: L.Marker | undefined;

  constructor(map: L.Map, choose: (point: L.LatLng) => void) {
    this.map = map;
    this.choose = choose;
    map.on('click', this.onClick);
    map.on('moveend', this.onMoved);
    map.getContainer().addEventListener('keydown', this.onMapKey);
  }

  /** `words` is the text for screen readers. */
  draw(point: L.LatLng | undefined, words: string): void {
    if (!point) {
      this.marker?.remove();
      this.marker = undefined;
      return;
    }
    this.marker ??= this.make(point);
    if (!this.marker.getLatLng().equals(point, 1e-9)) this.marker.setLatLng(point);
    this.marker.getElement()?.setAttribute('aria-label', words);
  }

  remove(): void {
    this.map.off('click', this.onClick);
    this.map.off('moveend', this.onMoved);
    this.map.getContainer().removeEventListener('keydown', this.onMapKey);
    this.marker?.remove();
  }

  private make(point: L.LatLng): L.Marker {
    const icon = L.divIcon({ className: css.pin, html: glyph, iconSize: [68, 68], iconAnchor: [34, 34] });
    const marker = L.marker(point, { icon, draggable: true, autoPan: true }).addTo(this.map);
    marker.on('dragend', () => this.choose(marker.getLatLng()));
    marker.getElement()?.addEventListener('keydown', this.onPinKey);
    return marker;
  }

  /** The pin is in the copy of the world that the map shows. */
  private readonly onMoved = () => {
    const point = this.marker?.getLatLng();
    if (!point) return;
    const longitude = nearestCopy(point.lng, this.map.getCenter().lng);
    if (longitude !== point.lng) this.marker?.setLatLng([point.lat, longitude]);
  };

  private readonly onClick = ({ latlng }: L.LeafletMouseEvent) => this.choose(latlng);

  /** If there is no pin, Enter places one in the middle of the map. */
  private readonly onMapKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.target !== this.map.getContainer()) return;
    // Enter must not submit the surrounding form.
    event.preventDefault();
    this.choose(this.map.getCenter());
  };

  private readonly onPinKey = (event: KeyboardEvent) => {
    const direction = directions[event.key];
    if (!direction || !this.marker) return;
    event.preventDefault();
    // Otherwise the map would move as well.
    event.stopPropagation();
    const step = event.shiftKey ? steps.small : steps.usual;
    const point = this.map
      .latLngToContainerPoint(this.marker.getLatLng())
      .add([direction[0] * step, direction[1] * step]);
    const place = this.map.containerPointToLatLng(point);
    this.map.panInside(place, { padding: [40, 40], animate: false });
    this.choose(place);
  };
}

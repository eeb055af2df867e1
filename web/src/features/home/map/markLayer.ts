import L from 'leaflet';
import type { Point } from '@/lib/map/hull';
import type { Place } from '@/lib/map/place';
import { type Feature, stateOf } from './clusters';
import { clusterGlyph, deviceGlyph } from './glyph';
import css from './marks.module.css';
import { isDirection, nextInDirection } from './roving';
import { makeRoom, spread } from './spread';

/** What the layer needs in the person's language, and what it does for the person. */
export interface MarkContext {
  describe: (feature: Feature) => string;
  count: (count: number) => string;
  /** Where a position stands on this map. */
  at: (place: Place) => L.LatLngTuple;
  onDevice: (deviceName: string) => void;
  onCluster: (feature: Extract<Feature, { kind: 'cluster' }>) => void;
}

interface Drawn {
  marker: L.Marker;
  feature: Feature;
  /** Picture and offset: drawn anew only when it differs. */
  look: string;
}

/**
 * The marks of a map, kept over every change of view: only what differs is touched. One of them can be reached by Tab, from it the
 * arrow keys go to the neighbours, and Enter selects.
 */
export class MarkLayer {
  private readonly map: L.Map;
  private readonly drawn = new Map<string, Drawn>();
  private context: MarkContext | undefined;
  private selected: string | undefined;
  private entry: string | undefined;

  constructor(map: L.Map) {
    this.map = map;
  }

  draw(features: readonly Feature[], selected: string | undefined, context: MarkContext): void {
    this.context = context;
    this.selected = selected === undefined ? undefined : `device ${selected}`;
    const wanted = new Set(features.map(({ key }) => key));
    for (const [key, { marker }] of this.drawn) {
      if (wanted.has(key)) continue;
      marker.remove();
      this.drawn.delete(key);
    }
    const points = features.map(({ place }) => this.map.latLngToLayerPoint(context.at(place)));
    const offsets = spread(points);
    const chosen = points[features.findIndex(({ key }) => key === this.selected)];
    features.forEach((feature, i) => {
      const point = points[i];
      const room = feature.kind === 'cluster' && point && chosen ? makeRoom(point, chosen) : offsets[i];
      this.put(feature, room ?? { x: 0, y: 0 }, context);
    });
    if (!this.entry || !this.drawn.has(this.entry)) this.entry = undefined;
    this.setEntry(this.selected && this.drawn.has(this.selected) ? this.selected : (this.entry ?? features[0]?.key));
  }

  clear(): void {
    for (const { marker } of this.drawn.values()) marker.remove();
    this.drawn.clear();
  }

  private put(feature: Feature, offset: Point, context: MarkContext): void {
    const selected = feature.key === this.selected;
    const state = stateOf(feature);
    const glyph =
      feature.kind === 'device' ? deviceGlyph(state, selected) : clusterGlyph(state, context.count(feature.count));
    const look = `${glyph} ${offset.x.toFixed(1)} ${offset.y.toFixed(1)}`;
    const place = context.at(feature.place);
    const before = this.drawn.get(feature.key);
    // Leaflet's own keyboard makes every mark a stop of the Tab key.
    const marker = before?.marker ?? L.marker(place, { keyboard: false, riseOnHover: true });
    if (before && !marker.getLatLng().equals(place)) marker.setLatLng(place);
    if (before?.look !== look) {
      const iconAnchor: L.PointTuple = [22 - offset.x, 22 - offset.y];
      marker.setIcon(L.divIcon({ className: css.mark, html: glyph, iconSize: [44, 44], iconAnchor }));
    }
    marker.setZIndexOffset(selected ? 3000 : state === 'alarm' ? 2000 : feature.kind === 'cluster' ? 1000 : 0);
    if (!before) marker.addTo(this.map).on('click', () => this.activate(feature.key));
    this.drawn.set(feature.key, { marker, feature, look });
    this.name(marker, feature, context.describe(feature));
  }

  private name(marker: L.Marker, feature: Feature, words: string): void {
    const element = marker.getElement();
    if (!element) return;
    element.setAttribute('role', 'button');
    element.setAttribute('aria-label', words);
    element.title = words;
    if (feature.kind === 'device') element.setAttribute('aria-pressed', String(feature.key === this.selected));
    element.onkeydown = (event) => this.onKey(event, feature.key);
    if (!element.hasAttribute('tabindex')) element.tabIndex = -1;
  }

  private setEntry(key: string | undefined): void {
    this.entry = key;
    for (const [other, { marker }] of this.drawn) {
      const element = marker.getElement();
      if (element) element.tabIndex = other === key ? 0 : -1;
    }
  }

  private activate(key: string): void {
    const drawn = this.drawn.get(key);
    if (!drawn) return;
    this.setEntry(key);
    if (drawn.feature.kind === 'device') this.context?.onDevice(drawn.feature.marker.deviceName);
    else this.context?.onCluster(drawn.feature);
  }

  private onKey(event: KeyboardEvent, key: string): void {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.activate(key);
      return;
    }
    if (!isDirection(event.key)) return;
    // Otherwise the map would move away below it.
    event.preventDefault();
    event.stopPropagation();
    const others = [...this.drawn.entries()].filter(([other]) => other !== key);
    const from = this.drawn.get(key)?.marker;
    if (!from) return;
    const points = others.map(([, { marker }]) => this.map.latLngToContainerPoint(marker.getLatLng()));
    const next = others[nextInDirection(points, this.map.latLngToContainerPoint(from.getLatLng()), event.key)];
    if (!next) return;
    this.setEntry(next[0]);
    next[1].marker.getElement()?.focus();
  }
}

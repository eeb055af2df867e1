import L from 'leaflet';
import { nameOf } from '@/lib/device/types';
import type { Point } from '@/lib/map/hull';
import type { Place } from '@/lib/map/place';
import { type DeviceFeature, type Feature, inAlarm, presenceOf } from './clusters';
import { clusterGlyph, deviceGlyph, type ValueLook } from './glyph';
import css from './marks.module.css';
import { isDirection, nextInDirection } from './roving';
import { makeRoom } from './spread';

/** What the layer needs from the page: texts in the user's language, and handlers. */
export interface MarkContext {
  describe: (feature: Feature) => string;
  count: (count: number) => string;
  /** A device's value of the chosen quantity; undefined where it has none. */
  value?: (feature: DeviceFeature) => ValueLook | undefined;
  /** Converts a position to this map's coordinates, in the copy that the map shows. */
  at: (place: Place) => L.LatLngTuple;
  onDevice: (deviceName: string) => void;
  onCluster: (feature: Extract<Feature, { kind: 'cluster' }>) => void;
}

interface Drawn {
  marker: L.Marker;
  feature: Feature;
  /** How far it is drawn from its position. */
  offset: Point;
  glyph: string;
  words: string;
  selected: boolean;
  /** The context with which it was drawn; another context means another language or map. */
  context: MarkContext | undefined;
}

const noOffset: Point = { x: 0, y: 0 };
const isSameFeature = (a: Feature, b: Feature) =>
  a === b ||
  (a.kind === 'device' &&
    b.kind === 'device' &&
    a.marker === b.marker &&
    a.room?.pill === b.room?.pill &&
    a.room?.name === b.room?.name);
const isSamePoint = (a: Point, b: Point) => a.x === b.x && a.y === b.y;
/** Half of the size of a mark's picture. */
const halfGlyph = 22;

/**
 * The marks of a map. They persist over changes of the view, and only differing marks are updated.
 * One of them is reachable by Tab; from it, the arrow keys lead to the neighbours, and Enter
 * selects.
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
    const chosen = features.find(({ key }) => key === this.selected);
    const centre = chosen && this.map.latLngToLayerPoint(context.at(chosen.place));
    const room = (feature: Feature) =>
      centre ? makeRoom(this.map.latLngToLayerPoint(context.at(feature.place)), centre) : noOffset;
    for (const feature of features) {
      this.put(feature, feature.kind === 'device' ? feature.offset : room(feature), context);
    }
    if (!this.entry || !this.drawn.has(this.entry)) this.entry = undefined;
    this.setEntry(this.selected && this.drawn.has(this.selected) ? this.selected : (this.entry ?? features[0]?.key));
  }

  clear(): void {
    for (const { marker } of this.drawn.values()) marker.remove();
    this.drawn.clear();
  }

  private put(feature: Feature, offset: Point, context: MarkContext): void {
    const selected = feature.key === this.selected;
    const before = this.drawn.get(feature.key);
    // After a move of the map it may be another copy of the same place.
    const place = context.at(feature.place);
    // With two thousand marks, one reading, one move of the map or one selection changes only one
    // or two of them.
    if (
      before?.selected === selected &&
      before.context === context &&
      isSamePoint(before.offset, offset) &&
      before.marker.getLatLng().equals(place) &&
      isSameFeature(before.feature, feature)
    ) {
      return;
    }
    const [presence, alarm] = [presenceOf(feature), inAlarm(feature)];
    const glyph =
      feature.kind === 'device'
        ? deviceGlyph(presence, feature.marker.alarmLevel, selected, context.value?.(feature))
        : clusterGlyph(presence, alarm, context.count(feature.count));
    const words = context.describe(feature);
    const drawn = before ?? this.make(feature, place);
    const { marker } = drawn;
    if (!marker.getLatLng().equals(place)) marker.setLatLng(place);
    const element = marker.getElement();
    if (!element) return;
    if (drawn.glyph !== glyph) element.innerHTML = glyph;
    showName(element, feature);
    if (!isSamePoint(drawn.offset, offset)) {
      element.style.marginLeft = `${Number((offset.x - halfGlyph).toFixed(1))}px`;
      element.style.marginTop = `${Number((offset.y - halfGlyph).toFixed(1))}px`;
    }
    if (drawn.words !== words) {
      element.setAttribute('aria-label', words);
      element.title = words;
    }
    if (feature.kind === 'device') element.setAttribute('aria-pressed', String(selected));
    marker.setZIndexOffset(selected ? 3000 : alarm ? 2000 : feature.kind === 'cluster' ? 1000 : 0);
    this.drawn.set(feature.key, { marker, feature, offset, glyph, words, selected, context });
  }

  private make(feature: Feature, place: L.LatLngTuple): Drawn {
    const icon = L.divIcon({
      className: css.mark,
      html: '',
      iconSize: [2 * halfGlyph, 2 * halfGlyph],
      iconAnchor: [halfGlyph, halfGlyph],
    });
    // Leaflet's own keyboard support would make every mark a Tab stop.
    const marker = L.marker(place, { keyboard: false, riseOnHover: true, icon });
    marker.addTo(this.map).on('click', () => this.activate(feature.key));
    const element = marker.getElement();
    if (element) {
      element.setAttribute('role', 'button');
      element.onkeydown = (event) => this.onKey(event, feature.key);
      element.tabIndex = -1;
    }
    return { marker, feature, offset: noOffset, glyph: '', words: '', selected: false, context: undefined };
  }

  private setEntry(key: string | undefined): void {
    const [before, next] = [this.entry, key].map((entry) => entry && this.drawn.get(entry)?.marker.getElement());
    if (before) before.tabIndex = -1;
    if (next) next.tabIndex = 0;
    this.entry = key;
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
    // Otherwise the arrow keys would also move the map.
    event.preventDefault();
    event.stopPropagation();
    const others = [...this.drawn.entries()].filter(([other]) => other !== key);
    const from = this.drawn.get(key);
    if (!from) return;
    const points = others.map(([, drawn]) => this.drawnAt(drawn));
    const next = others[nextInDirection(points, this.drawnAt(from), event.key)];
    if (!next) return;
    this.setEntry(next[0]);
    next[1].marker.getElement()?.focus();
  }

  private drawnAt({ marker, offset }: Drawn): Point {
    const { x, y } = this.map.latLngToContainerPoint(marker.getLatLng());
    return { x: x + offset.x, y: y + offset.y };
  }
}

/** The device's name below its mark, where it has room. As text: people gave the name. */
function showName(element: HTMLElement, feature: Feature): void {
  const shown = feature.kind === 'device' && feature.room?.name ? nameOf(feature.marker) : undefined;
  let label = element.querySelector('span');
  if (shown === undefined) {
    label?.remove();
    element.classList.remove(css.named ?? 'named');
    return;
  }
  if (!label) {
    label = document.createElement('span');
    label.className = css.label ?? '';
    label.ariaHidden = 'true';
    element.append(label);
  }
  element.classList.add(css.named ?? 'named');
  if (label.textContent !== shown) label.textContent = shown;
}

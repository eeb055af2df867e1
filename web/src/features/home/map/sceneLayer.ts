import L from 'leaflet';
import { type Point, roundedHull } from '@/lib/map/hull';
import type { Place } from '@/lib/map/place';
import { placeLabels } from './labels';
import css from './marks.module.css';

/** A scene as the map knows it. */
export interface MapScene {
  id: number;
  /** "North orchard · 64". */
  label: string;
  places: readonly Place[];
}

/** Pixels between a scene's outermost devices and its edge. */
const distance = 28;
/** A scene smaller than this shows where it is by its marks alone. */
const leastNamed = 40;

/** Each scene as the rounded hull of its devices, at a distance in pixels, so it is shaped anew for each zoom. */
export class SceneLayer {
  private readonly map: L.Map;
  private readonly hulls = new Map<number, L.Polygon>();
  private readonly labels = new Map<number, L.Marker>();
  private renderer: L.Renderer | undefined;

  constructor(map: L.Map) {
    this.map = map;
    const pane = map.createPane('scenes');
    pane.classList.add(css.scenePane ?? 'scenes');
    map.createPane('sceneNames').classList.add(css.namePane ?? 'sceneNames');
    this.renderer = L.svg({ pane: 'scenes', padding: 0.5 });
  }

  draw(scenes: readonly MapScene[], at: (place: Place) => L.LatLngTuple): void {
    const ids = new Set(scenes.map(({ id }) => id));
    for (const [id, hull] of this.hulls) {
      if (ids.has(id)) continue;
      hull.remove();
      this.hulls.delete(id);
    }
    const outlines = scenes.map((scene) => ({ scene, outline: this.outline(scene, at) }));
    for (const { scene, outline } of outlines) this.drawHull(scene.id, outline);
    this.drawNames(outlines);
  }

  private outline(scene: MapScene, at: (place: Place) => L.LatLngTuple): Point[] {
    return roundedHull(
      scene.places.map((place) => this.map.latLngToLayerPoint(at(place))),
      distance,
    );
  }

  private drawHull(id: number, outline: readonly Point[]): void {
    const corners = outline.map(({ x, y }) => this.map.layerPointToLatLng([x, y]));
    const hull = this.hulls.get(id);
    if (hull) {
      hull.setLatLngs(corners);
      return;
    }
    const options = { renderer: this.renderer, interactive: false, className: css.hull, smoothFactor: 0 };
    this.hulls.set(id, L.polygon(corners, options).addTo(this.map));
  }

  /** Names stand at the upper edge, inside where there is room; one that would cover another is left out until the map is nearer. */
  private drawNames(outlines: readonly { scene: MapScene; outline: readonly Point[] }[]): void {
    const wanted = outlines.flatMap(({ scene, outline }) => {
      const xs = outline.map(({ x }) => x);
      const ys = outline.map(({ y }) => y);
      const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      if (right - left - 2 * distance < leastNamed && bottom - top - 2 * distance < leastNamed && outlines.length > 12) return [];
      const inside = bottom - top > 150;
      return [{ id: scene.id, text: scene.label, x: (left + right) / 2, y: inside ? top + 18 : top - 10, size: right - left }];
    });
    const placed = new Map(placeLabels(wanted).map((label) => [label.id, label]));
    for (const [id, marker] of this.labels) {
      if (placed.has(id)) continue;
      marker.remove();
      this.labels.delete(id);
    }
    for (const { id, text, x, y } of placed.values()) {
      const place = this.map.layerPointToLatLng([x, y]);
      const marker = this.labels.get(id) ?? this.makeName(id, place);
      marker.setLatLng(place);
      const element = marker.getElement()?.firstElementChild;
      if (element && element.textContent !== text) element.textContent = text;
    }
  }

  private makeName(id: number, place: L.LatLng): L.Marker {
    // Filled by textContent: a scene's name is somebody's text and no HTML.
    const icon = L.divIcon({ className: css.name, html: '<span></span>', iconSize: [0, 0] });
    const marker = L.marker(place, { icon, pane: 'sceneNames', interactive: false, keyboard: false }).addTo(this.map);
    this.labels.set(id, marker);
    return marker;
  }
}

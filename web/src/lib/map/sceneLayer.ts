import L from 'leaflet';
import { together } from './copies';
import { type Point, roundedHull } from './hull';
import { placeLabels } from './labels';
import type { Place } from './place';
import css from './scene.module.css';
import { sceneParts } from './sceneParts';

/** A scene on the map. */
export interface MapScene {
  id: number;
  name: string;
  /** Follows the name and is never cut: " · 64". */
  count?: string;
  places: readonly Place[];
}

/** Where a mark is drawn, in pixels: beside its place if other marks share that place. */
export interface DrawnMark {
  place: Place;
  offset?: Point;
}

/** Pixels between a scene's outermost devices and its edge. */
const outlineDistance = 28;
/**
 * A scene whose devices are closer together than this is not shown as an area, except at a close
 * zoom.
 */
const minExtent = 20;
const closeZoom = 13;
/** A map narrower than this shows marks and hulls without names. */
const roomForNames = 400;

function pane(map: L.Map, name: string, className: string | undefined): void {
  if (!map.getPane(name)) map.createPane(name).classList.add(className ?? name);
}

function setText(element: Element | undefined, text = ''): void {
  if (element && element.textContent !== text) element.textContent = text;
}

/**
 * Draws each scene as the rounded hull of its devices, in parts where one would cross another scene. The distance is in pixels, so each zoom
 * needs a new shape.
 */
export class SceneLayer {
  private readonly map: L.Map;
  private readonly hulls = new Map<string, L.Polygon>();
  private readonly labels = new Map<number, L.Marker>();
  private readonly renderer: L.Renderer;

  constructor(map: L.Map) {
    this.map = map;
    pane(map, 'scenes', css.scenePane);
    pane(map, 'sceneNames', css.namePane);
    this.renderer = L.svg({ pane: 'scenes', padding: 0.5 });
  }

  /** Names avoid the marks, which are drawn above them. */
  draw(scenes: readonly MapScene[], marks: readonly DrawnMark[], at: (place: Place) => L.LatLngTuple): void {
    const middle = this.map.getCenter().lng;
    const shown = scenes
      .map((scene) => ({
        scene,
        points: together(scene.places.map(at), middle).map((place) => this.map.latLngToLayerPoint(place)),
      }))
      .filter(({ points }) => this.drawsAt(points));
    const parts = sceneParts(shown.map(({ points }) => points));
    const outlines = shown.map(({ scene }, i) => ({
      scene,
      outlines: (parts[i] ?? []).map((points) => roundedHull(points, outlineDistance)),
    }));
    const drawn = new Set(outlines.flatMap(({ scene, outlines }) => outlines.map((_, i) => `${scene.id} ${i}`)));
    for (const [key, hull] of this.hulls) {
      if (drawn.has(key)) continue;
      hull.remove();
      this.hulls.delete(key);
    }
    for (const { scene, outlines: own } of outlines) {
      for (const [i, outline] of own.entries()) this.drawHull(`${scene.id} ${i}`, outline);
    }
    // A scene's name is at its largest part.
    const largest = outlines.map(({ scene, outlines: own }) => ({ scene, outline: own[0] ?? [] }));
    const named = this.map.getSize().x >= roomForNames ? largest : [];
    this.drawNames(
      named,
      marks.map(({ place, offset }) => {
        const { x, y } = this.map.latLngToLayerPoint(at(place));
        return { x: x + (offset?.x ?? 0), y: y + (offset?.y ?? 0) };
      }),
    );
  }

  clear(): void {
    for (const hull of this.hulls.values()) hull.remove();
    for (const label of this.labels.values()) label.remove();
    this.renderer.remove();
    this.hulls.clear();
    this.labels.clear();
  }

  /** When zoomed out, a tenant's scenes would be rings on one spot. */
  private drawsAt(points: readonly Point[]): boolean {
    if (this.map.getZoom() >= closeZoom) return true;
    const xs = points.map(({ x }) => x);
    const ys = points.map(({ y }) => y);
    return Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) >= minExtent;
  }

  private drawHull(key: string, outline: readonly Point[]): void {
    const corners = outline.map(({ x, y }) => this.map.layerPointToLatLng([x, y]));
    const hull = this.hulls.get(key);
    if (hull) {
      hull.setLatLngs(corners);
      return;
    }
    const options = { renderer: this.renderer, interactive: false, className: css.hull, smoothFactor: 0 };
    this.hulls.set(key, L.polygon(corners, options).addTo(this.map));
  }

  private drawNames(
    outlines: readonly { scene: MapScene; outline: readonly Point[] }[],
    marks: readonly Point[],
  ): void {
    const wanted = outlines.map(({ scene, outline }) => {
      const xs = outline.map(({ x }) => x);
      const ys = outline.map(({ y }) => y);
      const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      const x = (left + right) / 2;
      // Inside at the upper edge if the scene is large, else above it, else below it; farther out
      // if a mark is on its edge.
      const inside = bottom - top > 150 ? [top + 18] : [];
      const spots = [...inside, top - 10, bottom + 11, top - 34, bottom + 35].map((y) => ({ x, y }));
      return { id: scene.id, text: scene.name + (scene.count ?? ''), spots, size: right - left };
    });
    const scenes = new Map(outlines.map(({ scene }) => [scene.id, scene]));
    const placed = new Map(placeLabels(wanted, marks).map((label) => [label.id, label]));
    for (const [id, marker] of this.labels) {
      if (placed.has(id)) continue;
      marker.remove();
      this.labels.delete(id);
    }
    for (const { id, x, y } of placed.values()) {
      const place = this.map.layerPointToLatLng([x, y]);
      const marker = this.labels.get(id) ?? this.makeName(id, place);
      marker.setLatLng(place);
      const [name, count] = marker.getElement()?.firstElementChild?.children ?? [];
      setText(name, scenes.get(id)?.name);
      setText(count, scenes.get(id)?.count);
    }
  }

  private makeName(id: number, place: L.LatLng): L.Marker {
    // Filled through textContent: a scene's name is user input, not HTML.
    const icon = L.divIcon({ className: css.name, html: '<span><b></b><i></i></span>', iconSize: [0, 0] });
    const marker = L.marker(place, { icon, pane: 'sceneNames', interactive: false, keyboard: false }).addTo(this.map);
    this.labels.set(id, marker);
    return marker;
  }
}

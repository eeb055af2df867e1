import type { MultiPolygon, Polygon, Position } from 'geojson';
import L from 'leaflet';
import { feature } from 'topojson-client';
import type { Topology } from 'topojson-specification';
import landAddress from 'world-atlas/land-50m.json?url';
import coarseAddress from 'world-atlas/land-110m.json?url';
import { pauses } from '../async/pauses';
import { shiftsBetween } from './copies';
import { cutAtDateLine, shoresOf } from './dateLine';
import css from './map.module.css';

/**
 * A piece of land on one side of the date line: its outline and its inland waters as longitude and
 * latitude, with the box around it.
 */
export interface Land {
  rings: Position[][];
  /** Where the date line cuts the piece: its rings without the edges of the cut. */
  shores?: Position[][];
  bounds: L.LatLngBounds;
}

/**
 * The bundled coastline: land and sea, no borders; `coarse` has a tenth of the bytes. Fetched once;
 * rejects when it does not arrive.
 */
export async function loadLand(signal?: AbortSignal, coarse = false): Promise<Land[]> {
  const response = await fetch(coarse ? coarseAddress : landAddress, { signal });
  if (!response.ok) throw new Error(`coastline: status ${response.status}`);
  return landOf((await response.json()) as Topology);
}

export async function landOf(topology: Topology): Promise<Land[]> {
  const object = topology.objects.land;
  if (!object) throw new Error('coastline: no land in it');
  const found = feature(topology, object);
  const features = found.type === 'FeatureCollection' ? found.features : [found];
  const pieces = features.flatMap(({ geometry }) => {
    if (geometry.type === 'Polygon') return [(geometry as Polygon).coordinates];
    return geometry.type === 'MultiPolygon' ? (geometry as MultiPolygon).coordinates : [];
  });
  const pause = pauses();
  const land: Land[] = [];
  for (const rings of pieces) {
    land.push(...cutAtDateLine(rings).map(landPiece));
    await pause();
  }
  return land;
}

/** Of fourteen hundred pieces few are drawn: the others' positions stay as they are. */
function landPiece(rings: Position[][]): Land {
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const [longitude = 0, latitude = 0] of rings[0] ?? []) {
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  return { rings, shores: shoresOf(rings), bounds: L.latLngBounds([south, west], [north, east]) };
}

const turned = (rings: Position[][], shift: number) =>
  rings.map((ring) => ring.map(([longitude = 0, latitude = 0]): L.LatLngTuple => [latitude, longitude + shift]));

/**
 * The coastline has a scale of 1 : 50 million; at a closer zoom it would put fields into the sea,
 * so everything is land.
 */
const nearestZoom = 10.5;
/** As above, for 1 : 110 million. */
const nearestCoarseZoom = 9.5;

/** Whether a map at this zoom tells land from sea. */
export function showsSea(zoom: number, coarse: boolean): boolean {
  return zoom < (coarse ? nearestCoarseZoom : nearestZoom);
}

/** How many views to each side are drawn. */
const rendererPadding = 1;
/** Islands smaller than this are left out: they would be dots, and a view of the world has thousands. */
const leastPixels = 2;

/**
 * Draws only the land near the view, in each copy of the world that the view shows: a tenant's map
 * projects one continent, not fourteen hundred islands.
 */
export class LandLayer extends L.Layer {
  private readonly land: Land[];
  private readonly drawn = new Map<string, L.Layer>();
  private readonly coarse: boolean;
  private renderer: L.Renderer | undefined;

  constructor(land: Land[], coarse = false) {
    super();
    this.land = land;
    this.coarse = coarse;
  }

  override onAdd(map: L.Map): this {
    const pane = map.getPane('land') ?? map.createPane('land');
    pane.classList.add(css.landPane ?? '');
    this.renderer = L.svg({ pane: 'land', padding: rendererPadding });
    map.on('moveend', this.draw, this);
    this.draw();
    return this;
  }

  override onRemove(map: L.Map): this {
    map.off('moveend', this.draw, this);
    map.getContainer().classList.remove(css.sea ?? '');
    for (const piece of this.drawn.values()) piece.remove();
    this.drawn.clear();
    this.renderer?.remove();
    return this;
  }

  private draw(): void {
    const sea = showsSea(this._map.getZoom(), this.coarse);
    this._map.getContainer().classList.toggle(css.sea ?? '', sea);
    if (!sea) return;
    const near = this._map.getBounds().pad(1.5);
    // Sideways, where copies of the world follow each other, not farther than the renderer draws.
    const beside = this._map.getBounds().pad(rendererPadding);
    const smallest = leastPixels / (L.CRS.EPSG3857.scale(this._map.getZoom()) / 360);
    const shown = new Set<string>();
    for (const [i, piece] of this.land.entries()) {
      const { bounds } = piece;
      const [west, south, east, north] = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
      if (south > near.getNorth() || north < near.getSouth()) continue;
      if (Math.max(east - west, north - south) < smallest) continue;
      for (const shift of shiftsBetween(west, east, beside.getWest(), beside.getEast())) {
        const key = `${i} ${shift}`;
        shown.add(key);
        if (!this.drawn.has(key)) this.drawn.set(key, this.make(piece, shift).addTo(this._map));
      }
    }
    for (const [key, layer] of this.drawn) {
      if (shown.has(key)) continue;
      layer.remove();
      this.drawn.delete(key);
    }
  }

  private make({ rings, shores }: Land, shift: number): L.Layer {
    const options = { renderer: this.renderer, interactive: false, smoothFactor: 1.5 };
    const area = L.polygon(turned(rings, shift), { ...options, className: shores ? css.cutLand : css.land });
    return shores
      ? L.layerGroup([area, L.polyline(turned(shores, shift), { ...options, className: css.shore })])
      : area;
  }
}

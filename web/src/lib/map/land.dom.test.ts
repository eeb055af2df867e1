import { readFileSync } from 'node:fs';
import type { Position } from 'geojson';
import L from 'leaflet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Land, LandLayer, landOf } from './land';

const topologies = Object.fromEntries(
  ['land-50m', 'land-110m'].map((name) => [
    name,
    JSON.parse(readFileSync(`node_modules/world-atlas/${name}.json`, 'utf8')),
  ]),
);
const files = await Promise.all(
  Object.entries(topologies).map(async ([name, topology]) => ({ name, land: await landOf(topology) })),
);
const land = files[0]?.land ?? [];

/** Whether a flat map with an even-odd fill shows land there. */
function isLand(pieces: readonly Land[], latitude: number, longitude: number): boolean {
  let crossings = 0;
  for (const ring of pieces.flatMap(({ rings }) => rings)) {
    ring.forEach(([x = 0, y = 0], i) => {
      const [beforeX = 0, beforeY = 0] = ring[i - 1] ?? [x, y];
      if (y > latitude === beforeY > latitude) return;
      if (longitude < x + ((latitude - y) / (beforeY - y)) * (beforeX - x)) crossings++;
    });
  }
  return crossings % 2 === 1;
}

describe('the coastline', () => {
  it('consists of pieces, so that only those near the view are drawn', () => {
    expect(land.length).toBeGreaterThan(1000);
    const around = land.filter(({ bounds }) => bounds.contains([37.8571, 27.3412]));
    expect(around.length).toBeGreaterThanOrEqual(1);
    expect(around.length).toBeLessThan(5);
  });

  it.each(files)('of $name has closed rings within ±180 without an edge across the map', ({ land: pieces }) => {
    for (const { rings } of pieces) {
      for (const ring of rings) {
        expect(ring.at(-1)).toEqual(ring[0]);
        ring.forEach(([longitude = 0, latitude = 0], i) => {
          expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
          expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
          // The longest ones are those along the pole under Antarctica.
          expect(Math.abs(longitude - (ring[i - 1]?.[0] ?? longitude))).toBeLessThanOrEqual(180);
        });
      }
    }
    // Iceland lies north of 63 degrees and west of 13.
    const iceland = pieces.find(({ bounds }) => bounds.contains([64.9, -18.5]) && bounds.getNorth() < 67);
    expect(iceland?.bounds.getSouth()).toBeGreaterThan(63);
    expect(iceland?.bounds.getEast()).toBeLessThan(-13);
  });

  describe.each(files)('of $name', ({ land: pieces }) => {
    it.each([
      ['Kiruna', 67.86, 20.23],
      ['the middle of Iceland', 64.9, -18.5],
      ['Yakutsk', 62.03, 129.73],
      ['Bilibino in Chukotka', 68.05, 166.45],
      ['Egvekinot, beyond 180°', 66.6, -179.1],
      ['Uelen’s hinterland', 66, -171],
      ['the west of Wrangel Island', 71.2, 179.3],
      ['the east of Wrangel Island', 71.2, -179],
      ['Viti Levu in Fiji', -17.8, 178],
      ['Vanua Levu in Fiji', -16.6, 179.2],
      ['the South Pole’s plateau', -85, 0],
      ['Antarctica on both sides of 180°', -84.9, 179.9],
      ['Antarctica beyond 180°', -84.9, -179.9],
      ['Samarkand', 39.65, 66.96],
    ])('has %s as land', (_, latitude, longitude) => {
      expect(isLand(pieces, latitude, longitude)).toBe(true);
    });

    it.each([
      ['the Barents Sea', 70, 40],
      ['the Norwegian Sea', 67, 0],
      ['the Greenland Sea', 71.2, -10],
      ['the sea north of Alaska', 71.2, -150],
      ['the Bering Strait', 66, -169],
      ['the sea around Wrangel Island', 70.3, 180],
      ['the Pacific at the height of Fiji', -16.5, -150],
      ['the Indian Ocean at the height of Fiji', -16.5, 80],
      ['the Caspian Sea', 42, 50.5],
      ['the Southern Ocean', -62, 180],
    ])('has %s as water', (_, latitude, longitude) => {
      expect(isLand(pieces, latitude, longitude)).toBe(false);
    });
  });

  it('has Taveuni in Fiji, which only the finer file knows, as land on both sides of 180°', () => {
    expect(isLand(land, -16.85, -179.97)).toBe(true);
    expect(isLand(land, -16.85, 179.99)).toBe(true);
  });

  it('has no shore along the date line where land goes on', () => {
    const cut = files.flatMap(({ land: pieces }) => pieces.flatMap(({ shores }) => shores ?? []));
    expect(cut.length).toBeGreaterThanOrEqual(8);
    const isOnLine = ([longitude = 0]: Position) => Math.abs(longitude) === 180;
    for (const shore of cut) {
      expect(shore.length).toBeGreaterThan(1);
      shore.forEach((point, i) => {
        const before = shore[i - 1];
        expect(before !== undefined && isOnLine(before) && isOnLine(point)).toBe(false);
      });
    }
  });

  it('refuses a file without land', async () => {
    await expect(landOf({ ...topologies['land-50m'], objects: {} })).rejects.toThrow('no land');
  });
});

describe('the layer of land', () => {
  let map: L.Map;
  afterEach(() => map.remove());

  const square = (west: number, south: number, size: number): Land => ({
    rings: [
      [
        [west, south],
        [west + size, south],
        [west + size, south + size],
        [west, south + size],
        [west, south],
      ],
    ],
    bounds: L.latLngBounds([south, west], [south + size, west + size]),
  });

  /** From where to where the land is drawn. */
  function drawn() {
    const sides: [number, number][] = [];
    map.eachLayer((layer) => {
      if (!(layer instanceof L.Polygon)) return;
      sides.push([layer.getBounds().getWest(), layer.getBounds().getEast()]);
    });
    return sides.sort(([a], [b]) => a - b);
  }

  beforeEach(() => {
    const container = document.createElement('div');
    Object.defineProperties(container, { clientWidth: { value: 600 }, clientHeight: { value: 400 } });
    document.body.append(container);
    map = L.map(container, { zoomAnimation: false, attributionControl: false }).setView([-17, 180], 9);
  });

  it('draws both sides of the date line beside each other, whichever copy of the world is shown', () => {
    new LandLayer([square(179, -17, 1), square(-180, -17, 1), square(20, -17, 1)]).addTo(map);
    expect(drawn()).toEqual([
      [179, 180],
      [180, 181],
    ]);
    map.setView([-17, -180], 9, { animate: false });
    expect(drawn()).toEqual([
      [-181, -180],
      [-180, -179],
    ]);
    map.setView([-17, 380], 9, { animate: false });
    expect(drawn()).toEqual([[380, 381]]);
  });

  it('leaves out islands that would be dots', () => {
    // A degree has 2.8 pixels at zoom 2.
    new LandLayer([square(20, -17, 1), square(30, -17, 0.5)]).addTo(map);
    map.setView([-17, 25], 2, { animate: false });
    expect(drawn()).toEqual([[20, 21]]);
    map.setView([-17, 25], 3, { animate: false });
    expect(drawn()).toEqual([
      [20, 21],
      [30, 30.5],
    ]);
  });
});

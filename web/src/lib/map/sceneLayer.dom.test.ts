import L from 'leaflet';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toLatLng } from './baseMap';
import type { Place } from './place';
import { SceneLayer } from './sceneLayer';

let map: L.Map;
let container: HTMLElement;
let layer: SceneLayer;

const at = ({ latitude, longitude }: Place): L.LatLngTuple => [latitude, longitude];
const places = [
  { latitude: 0, longitude: 0 },
  { latitude: 0.01, longitude: 0.01 },
];
const label = () => container.querySelector('.name span');

beforeEach(() => {
  container = document.createElement('div');
  Object.defineProperties(container, { clientWidth: { value: 500 }, clientHeight: { value: 500 } });
  document.body.append(container);
  map = L.map(container, { zoomAnimation: false, attributionControl: false, zoomControl: false }).setView([0, 0], 14);
  layer = new SceneLayer(map);
});

afterEach(() => {
  layer.clear();
  map.remove();
  container.remove();
});

it('separates a scene’s count from its name; only the name may be cut', () => {
  const scene = { id: 1, name: 'North-western terraced orchard', places };
  layer.draw([{ ...scene, count: ' · 9' }], [], at);
  const [name, count] = label()?.children ?? [];
  expect(name).toHaveTextContent('North-western terraced orchard');
  expect(count?.textContent).toBe(' · 9');
  layer.draw([{ ...scene, count: ' · 10' }], [], at);
  expect(label()).toHaveTextContent('North-western terraced orchard · 10');
});

it('outlines a scene across the date line in one piece, wherever the map is', () => {
  const fiji = [
    { latitude: -16.5, longitude: 179.5 },
    { latitude: -17, longitude: -179.75 },
  ];
  const near = (place: Place) => toLatLng(place, null, map.getCenter().lng);
  const spans = () => {
    const found: number[] = [];
    map.eachLayer((each) => {
      if (each instanceof L.Polygon) found.push(each.getBounds().getEast() - each.getBounds().getWest());
    });
    return found;
  };
  // At 0° one device is nearer eastward, the other westward.
  for (const longitude of [179, -179, 0]) {
    map.setView([-17, longitude], 8, { animate: false });
    layer.draw([{ id: 1, name: 'Fiji', places: fiji }], [], near);
    // 0.75 degrees and 28 pixels on each side.
    expect(spans()).toHaveLength(1);
    expect(spans()[0]).toBeCloseTo(0.75 + (2 * 28 * 360) / 2 ** 16, 1);
  }
});

it('renders a scene’s name as text, also without a count', () => {
  layer.draw([{ id: 1, name: '<b>Reservoir</b>', places }], [], at);
  expect(label()?.textContent).toBe('<b>Reservoir</b>');
});

it('places a scene’s name clear of marks, even of one drawn beside its place', () => {
  // Close together: the scene is too small for a name inside.
  const close = [
    { latitude: 0, longitude: 0 },
    { latitude: 0.0001, longitude: 0.0001 },
  ];
  const nameAt = () => {
    const [found] = [...container.querySelectorAll<HTMLElement>('.name')];
    return found && L.DomUtil.getPosition(found);
  };
  const middle = map.latLngToLayerPoint([0, 0]);
  layer.draw([{ id: 1, name: 'Reservoir', places: close }], [{ place: close[0] as Place }], at);
  const above = nameAt();
  expect(above?.y).toBeLessThan(middle.y);

  const offset = { x: 0, y: (above?.y ?? 0) - middle.y };
  layer.draw([{ id: 1, name: 'Reservoir', places: close }], [{ place: close[0] as Place, offset }], at);
  expect(nameAt()?.y).toBeGreaterThan(middle.y);

  // Marks on its edge above and below: the name is farther out, but still beside the scene.
  const below = { x: 0, y: (nameAt()?.y ?? 0) - middle.y };
  const marks = [offset, below].map((beside) => ({ place: close[0] as Place, offset: beside }));
  layer.draw([{ id: 1, name: 'Reservoir', places: close }], marks, at);
  for (const { y } of [offset, below]) expect(Math.abs((nameAt()?.y ?? 0) - middle.y - y)).toBeGreaterThanOrEqual(24);
  expect(Math.abs((nameAt()?.y ?? 0) - middle.y)).toBeLessThan(100);
});

import L from 'leaflet';
import { afterEach, describe, expect, it } from 'vitest';
import { GraticuleLayer } from './graticuleLayer';

const words = {
  latitude: (degrees: number, decimals: number) => `${degrees.toFixed(decimals)} N`,
  longitude: (degrees: number, decimals: number) => `${degrees.toFixed(decimals)} E`,
};
let map: L.Map;

function frame(width: number, height: number) {
  const container = document.createElement('div');
  Object.defineProperties(container, { clientWidth: { value: width }, clientHeight: { value: height } });
  document.body.append(container);
  map = L.map(container, { zoomAnimation: false, attributionControl: false }).setView([37.853, 27.345], 15);
  return container;
}

const names = (container: HTMLElement) =>
  [...container.querySelectorAll('svg text')].map(({ textContent }) => textContent);

afterEach(() => map.remove());

describe('the graticule layer', () => {
  it('draws meridians and parallels at round degrees, with names at the edges', () => {
    const container = frame(528, 668);
    new GraticuleLayer(words).addTo(map);
    expect(container.querySelectorAll('svg path').length).toBe(5 + 4);
    expect(names(container)).toContain('37.850 N');
    expect(names(container)).toContain('27.340 E');
  });

  it('follows the map', () => {
    const container = frame(528, 668);
    new GraticuleLayer(words).addTo(map);
    map.setView([10, 20], 4, { animate: false });
    expect(names(container)).toContain('10 N');
    expect(names(container)).not.toContain('37.850 N');
  });

  it('names the meridians beyond 180° as they are called there', () => {
    const container = frame(528, 668);
    new GraticuleLayer(words).addTo(map);
    map.setView([-17, 180], 8, { animate: false });
    const [first, ...others] = names(container).filter((name) => name?.endsWith('E'));
    expect([first, ...others]).toEqual(['179 E', '180 E']);
    map.setView([-17, 181.5], 8, { animate: false });
    expect(names(container)).toContain('-179 E');
  });

  it('switches the language at once', () => {
    const container = frame(528, 668);
    const layer = new GraticuleLayer(words).addTo(map) as GraticuleLayer;
    layer.setFormat({ ...words, latitude: (degrees) => `${degrees} K` });
    expect(names(container).some((name) => name?.endsWith(' K'))).toBe(true);
    expect(names(container).some((name) => name?.endsWith(' N'))).toBe(false);
  });

  it('has no names on a small map', () => {
    const container = frame(366, 248);
    new GraticuleLayer(words).addTo(map);
    expect(container.querySelectorAll('svg path').length).toBeGreaterThan(4);
    expect(names(container)).toEqual([]);
  });

  it('removes everything', () => {
    const container = frame(528, 668);
    const layer = new GraticuleLayer(words).addTo(map);
    layer.remove();
    expect(container.querySelector('svg')).toBeNull();
  });
});

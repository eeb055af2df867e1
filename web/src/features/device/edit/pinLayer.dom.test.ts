import { fireEvent } from '@testing-library/dom';
import L from 'leaflet';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PinLayer } from './pinLayer';

let map: L.Map;
let container: HTMLElement;
let layer: PinLayer;
const choose = vi.fn<(point: L.LatLng) => void>();
const here = L.latLng(37.85, 27.34);
const pin = () => container.querySelector<HTMLElement>('[role="button"]');
const chosen = () => choose.mock.lastCall?.[0] as L.LatLng;

beforeEach(() => {
  choose.mockReset();
  container = document.createElement('div');
  Object.defineProperties(container, { clientWidth: { value: 400 }, clientHeight: { value: 300 } });
  document.body.append(container);
  map = L.map(container, { zoomAnimation: false, attributionControl: false, zoomControl: false }).setView(here, 15);
  layer = new PinLayer(map, choose);
});

afterEach(() => {
  layer.remove();
  map.remove();
  container.remove();
});

describe('the pin', () => {
  it('is drawn at its position with a label, and removed', () => {
    layer.draw(here, 'Pin at 37.85');
    expect(pin()).toHaveAttribute('aria-label', 'Pin at 37.85');
    expect(pin()).toHaveAttribute('tabindex', '0');
    layer.draw(undefined, '');
    expect(pin()).toBeNull();
  });

  it('is placed by a click on the map', () => {
    map.fire('click', { latlng: L.latLng(37.9, 27.4) });
    expect(chosen()).toMatchObject({ lat: 37.9, lng: 27.4 });
  });

  it('reports its position after a drag', () => {
    layer.draw(here, '');
    let marker: L.Marker | undefined;
    map.eachLayer((layer) => {
      if (layer instanceof L.Marker) marker = layer;
    });
    marker?.setLatLng([37.86, 27.35]).fire('dragend');
    expect(chosen()).toMatchObject({ lat: 37.86, lng: 27.35 });
  });

  it('follows the map into the next copy of the world, and is dragged from there', () => {
    map.setView([-16.8, 179.9], 9, { animate: false });
    layer.draw(L.latLng(-16.8, 179.95), '');
    let marker: L.Marker | undefined;
    map.eachLayer((layer) => {
      if (layer instanceof L.Marker) marker = layer;
    });
    marker?.setLatLng([-16.8, 180.2]).fire('dragend');
    expect(chosen().lng).toBe(180.2);
    map.setView([-16.8, -179.9], 9, { animate: false });
    expect(marker?.getLatLng().lng).toBeCloseTo(-179.8, 9);
  });

  it.each([
    ['ArrowUp', false, 0, -10],
    ['ArrowDown', false, 0, 10],
    ['ArrowLeft', true, -1, 0],
    ['ArrowRight', true, 1, 0],
  ])('moves with %s, with Shift %s, by %i and %i pixels', (key, shiftKey, x, y) => {
    layer.draw(here, '');
    const before = map.latLngToContainerPoint(here);
    fireEvent.keyDown(pin() as HTMLElement, { key, shiftKey });
    const after = map.latLngToContainerPoint(chosen());
    expect([after.x - before.x, after.y - before.y]).toEqual([x, y]);
  });

  it('ignores other keys', () => {
    layer.draw(here, '');
    expect(fireEvent.keyDown(pin() as HTMLElement, { key: 'Tab' })).toBe(true);
    expect(choose).not.toHaveBeenCalled();
  });

  it('is placed in the middle by Enter on the map, without submitting the form', () => {
    expect(fireEvent.keyDown(container, { key: 'Enter' })).toBe(false);
    expect(chosen().distanceTo(here)).toBeLessThan(5);
  });

  it('ignores all events once removed', () => {
    layer.draw(here, '');
    layer.remove();
    map.fire('click', { latlng: here });
    fireEvent.keyDown(container, { key: 'Enter' });
    expect(choose).not.toHaveBeenCalled();
    expect(pin()).toBeNull();
  });
});

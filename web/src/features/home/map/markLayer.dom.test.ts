import { fireEvent } from '@testing-library/dom';
import L from 'leaflet';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MapMarker } from '@/lib/device/types';
import { toLatLng } from '@/lib/map/baseMap';
import type { Place } from '@/lib/map/place';
import { deviceFeature, type Feature } from './clusters';
import { MarkLayer } from './markLayer';
import { UnplacedMark } from './unplaced';

let map: L.Map;
let container: HTMLElement;
let layer: MarkLayer;
const context = {
  describe: (feature: Feature) => (feature.kind === 'device' ? feature.marker.noteName : `${feature.count} devices`),
  count: (count: number) => String(count),
  at: ({ latitude, longitude }: { latitude: number; longitude: number }): L.LatLngTuple => [latitude, longitude],
  onDevice: vi.fn(),
  onCluster: vi.fn(),
};

const mast = (name: string, latitude: number, longitude: number, change: Partial<MapMarker> = {}) =>
  deviceFeature({ deviceName: name, noteName: name, groupId: 1, latitude, longitude, onlineState: 1, ...change });
const middle = mast('middle', 0, 0);
const east = mast('east', 0, 0.01);
const north = mast('north', 0.01, 0, { alarmLevel: 2 });
const cluster: Feature = {
  kind: 'cluster',
  key: 'cluster 1',
  place: { latitude: -0.01, longitude: 0 },
  count: 22,
  online: 20,
  alarms: 0,
  box: { west: 0, south: -0.01, east: 0, north: -0.01 },
};

const marks = () => [...container.querySelectorAll<HTMLElement>('[role="button"]')];
const mark = (name: string) => marks().find((element) => element.getAttribute('aria-label') === name) as HTMLElement;
const entries = () => marks().flatMap((mark) => (mark.tabIndex === 0 ? [mark.getAttribute('aria-label')] : []));

beforeEach(() => {
  container = document.createElement('div');
  Object.defineProperties(container, { clientWidth: { value: 500 }, clientHeight: { value: 500 } });
  document.body.append(container);
  map = L.map(container, { zoomAnimation: false, attributionControl: false, zoomControl: false }).setView([0, 0], 13);
  layer = new MarkLayer(map);
});

afterEach(() => {
  map.remove();
  container.remove();
  vi.clearAllMocks();
});

describe('the marks', () => {
  it('are buttons with names, of which Tab reaches only the chosen one', () => {
    layer.draw([middle, east, north, cluster], 'east', context);
    expect(marks().map((mark) => mark.getAttribute('aria-label'))).toEqual(['middle', 'east', 'north', '22 devices']);
    expect(entries()).toEqual(['east']);
    expect(mark('east')).toHaveAttribute('aria-pressed', 'true');
    expect(mark('middle')).toHaveAttribute('aria-pressed', 'false');
    expect(mark('22 devices')).not.toHaveAttribute('aria-pressed');
  });

  it('are reachable by Tab even if none is chosen', () => {
    layer.draw([middle, east], undefined, context);
    expect(entries()).toEqual(['middle']);
  });

  it('are navigated with the arrow keys, which then do not move the map', () => {
    layer.draw([middle, east, north, cluster], undefined, context);
    mark('middle').focus();
    const moved = vi.fn();
    container.addEventListener('keydown', moved);
    fireEvent.keyDown(mark('middle'), { key: 'ArrowRight' });
    expect(mark('east')).toHaveFocus();
    fireEvent.keyDown(mark('east'), { key: 'ArrowLeft' });
    fireEvent.keyDown(mark('middle'), { key: 'ArrowUp' });
    expect(mark('north')).toHaveFocus();
    expect(entries()).toEqual(['north']);
    expect(moved).not.toHaveBeenCalled();
    fireEvent.keyDown(mark('north'), { key: 'ArrowUp' });
    expect(mark('north')).toHaveFocus();
  });

  it('are chosen by Enter, by Space and by a click', () => {
    layer.draw([middle, cluster], undefined, context);
    fireEvent.keyDown(mark('middle'), { key: 'Enter' });
    fireEvent.keyDown(mark('middle'), { key: ' ' });
    fireEvent.click(mark('middle'));
    expect(context.onDevice.mock.calls).toEqual([['middle'], ['middle'], ['middle']]);
    fireEvent.click(mark('22 devices'));
    expect(context.onCluster).toHaveBeenCalledExactlyOnceWith(cluster);
  });

  it('keep their element, and thus the focus, while their content changes', () => {
    layer.draw([middle, east], undefined, context);
    const element = mark('middle');
    element.focus();
    expect(element.querySelector('path')).toBeNull();
    layer.draw([mast('middle', 0, 0, { onlineState: 0 }), east], undefined, context);
    expect(mark('middle')).toBe(element);
    expect(element).toHaveFocus();
    // Struck out: "offline" does not differ by colour alone.
    expect(element.querySelector('path.strike')).not.toBeNull();
  });

  it('are removed with their device', () => {
    layer.draw([middle, east], 'middle', context);
    layer.draw([east], 'middle', context);
    expect(marks()).toHaveLength(1);
    expect(entries()).toEqual(['east']);
    layer.clear();
    expect(marks()).toHaveLength(0);
  });

  it('are drawn and navigated at their spread positions', () => {
    const beside = (name: string, x: number, y: number) => ({ ...mast(name, 0, 0), offset: { x, y } });
    layer.draw([mast('a', 0, 0), beside('b', 18, 0), beside('c', 0, -18)], undefined, context);
    expect([mark('a').style.marginLeft, mark('b').style.marginLeft, mark('c').style.marginTop]).toEqual([
      '-22px',
      '-4px',
      '-40px',
    ]);
    fireEvent.keyDown(mark('a'), { key: 'ArrowUp' });
    expect(mark('c')).toHaveFocus();
    layer.draw([beside('a', 0, 0), beside('b', 0, 0)], undefined, context);
    expect(mark('b').style.marginLeft).toBe('-22px');
  });

  it('show their presence also while in alarm, with the alarm sign', () => {
    const off = mast('off', 0.02, 0, { onlineState: 0, alarmLevel: 1 });
    layer.draw([middle, north, off], undefined, context);
    const has = (name: string) =>
      ['online', 'strike', 'alarm', 'lesser'].map((look) => mark(name).querySelector(`.${look}`) !== null);
    expect(has('middle')).toEqual([true, false, false, false]);
    expect(has('north')).toEqual([true, false, true, false]);
    // Red is kept for serious alarms.
    expect(has('off')).toEqual([false, true, false, true]);
  });

  it('are not redrawn if nothing has changed', () => {
    const features = [middle, east, north];
    layer.draw(features, undefined, context);
    const describe = vi.spyOn(context, 'describe');
    layer.draw([...features], undefined, context);
    expect(describe).not.toHaveBeenCalled();
    layer.draw([mast('middle', 0, 0, { alarmLevel: 1 }), east, north], undefined, context);
    expect(describe).toHaveBeenCalledTimes(1);
    describe.mockRestore();
  });

  it('are drawn in the copy of the world that the map shows, as neighbours across the date line', () => {
    const near = { ...context, at: (place: Place) => toLatLng(place, null, map.getCenter().lng) };
    const fiji = [mast('labasa', -16.43, 179.37), mast('taveuni', -16.85, -179.97)];
    const longitudes = () => {
      const found: number[] = [];
      map.eachLayer((each) => {
        if (each instanceof L.Marker) found.push(Number(each.getLatLng().lng.toFixed(2)));
      });
      return found;
    };
    map.setView([-16.6, 179], 8, { animate: false });
    layer.draw(fiji, undefined, near);
    expect(longitudes()).toEqual([179.37, 180.03]);
    map.setView([-16.6, -179], 8, { animate: false });
    layer.draw(fiji, undefined, near);
    expect(longitudes()).toEqual([-180.63, -179.97]);
    fireEvent.keyDown(mark('labasa'), { key: 'ArrowRight' });
    expect(mark('taveuni')).toHaveFocus();
  });

  it('escape names in HTML', () => {
    layer.draw([mast('<img src=x>', 0, 0)], undefined, context);
    expect(container.querySelector('img')).toBeNull();
    expect(mark('<img src=x>').title).toBe('<img src=x>');
  });
});

describe('the devices without a position', () => {
  it('are one labelled, muted mark at the default position', () => {
    const unplaced = new UnplacedMark(map);
    unplaced.draw(3, '3', '3 devices without a position', 'no position', context.at);
    const shown = container.querySelector('[role="img"]');
    expect(shown).toHaveAttribute('aria-label', '3 devices without a position');
    expect(shown).toHaveTextContent('3no position');
    unplaced.draw(0, '0', '', '', context.at);
    expect(container.querySelector('[role="img"]')).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { Device } from '@/lib/device/types';
import { device, group } from '@/test/telemetryServer';
import { choiceOf } from '../choice';
import { devicesOf, gridContentOf, pagesFor, partsOf, type Section } from './sections';

const many = (count: number, groupId: number, from = 1): Device[] =>
  Array.from({ length: count }, (_, i) => device({ id: from + i, deviceName: `D-${from + i}`, groupId }));
const camera = (id: number, groupId: number, onlineState: 0 | 1 = 1) =>
  device({ id, deviceName: `CAM-${id}`, groupId, type: 2, onlineState });
const map = (devices: Device[]) => new Map(devices.map((device) => [device.deviceName, device]));

const own = many(3, 0);
const field = many(250, 1, 1000);
const groups = [
  group({ id: 0, groupName: '', deviceList: own }),
  // The 251st device is a camera.
  group({ id: 1, deviceCount: 251, onlineCount: 200, deviceList: field.slice(0, 100) }),
  group({ id: 2, deviceList: [] }),
];
const source = {
  groups,
  cameras: [camera(1, 1)],
  named: new Map<string, Device>(),
  streamless: new Set<string>(),
  state: undefined,
};

describe('the content of the grid', () => {
  it('is everything if nothing is ticked, with cameras apart', () => {
    const { videos, sections, sensors } = gridContentOf({ ...source, choice: choiceOf({}) });
    expect(videos.map(({ deviceName }) => deviceName)).toEqual(['CAM-1']);
    expect(sections.map(({ key, count }) => [key, count])).toEqual([
      ['0', 3],
      ['1', 250],
    ]);
    expect(sensors).toBe(253);
  });

  it('is a whole scene without its exceptions, and single devices besides', () => {
    const named = map([...own.slice(1), ...field.slice(4, 5)]);
    const choice = choiceOf({ scenes: '1', devices: 'D-3,D-2', except: 'D-1004' });
    const { videos, sections, sensors } = gridContentOf({ ...source, choice, named });
    expect(videos).toHaveLength(1);
    expect(sections.map(({ kind, count }) => [kind, count])).toEqual([
      ['list', 2],
      ['pages', 249],
    ]);
    expect(sensors).toBe(251);
    expect(sections[0]?.kind === 'list' && sections[0].devices.map(({ deviceName }) => deviceName)).toEqual([
      'D-2',
      'D-3',
    ]);
  });

  it('excludes cameras that are not ticked', () => {
    expect(gridContentOf({ ...source, choice: choiceOf({ scenes: '0' }) }).videos).toEqual([]);
    expect(
      gridContentOf({ ...source, choice: choiceOf({ scenes: '1', except: 'CAM-1' }), named: map([camera(1, 1)]) })
        .videos,
    ).toEqual([]);
    expect(
      gridContentOf({ ...source, choice: choiceOf({ devices: 'CAM-1' }), named: map([camera(1, 1)]) }),
    ).toMatchObject({
      videos: [{ deviceName: 'CAM-1' }],
      sensors: 0,
    });
  });

  it('places a camera without a stream among the sensors of its group', () => {
    const streamless = new Set(['CAM-1']);
    const all = gridContentOf({ ...source, streamless, choice: choiceOf({}) });
    expect(all.videos).toEqual([]);
    expect(all.sections).toMatchObject([{ count: 3 }, { count: 251, excluded: new Set() }]);
    const named = map([camera(1, 1)]);
    const without = gridContentOf({ ...source, streamless, named, choice: choiceOf({ scenes: '1', except: 'CAM-1' }) });
    expect(without.sections).toMatchObject([{ count: 250, excluded: new Set(['CAM-1']) }]);
    const alone = gridContentOf({ ...source, streamless, named, choice: choiceOf({ devices: 'CAM-1' }) });
    expect(alone).toMatchObject({ videos: [], sections: [{ kind: 'list', devices: [{ deviceName: 'CAM-1' }] }] });
  });

  it.each([
    ['IŞIK', 'Işık kamerası'],
    ['ışık', 'IŞIK KAMERASI'],
    ['ışık iz', 'Işık İzleme'],
    ['ISTANBUL', 'İstanbul'],
  ])(
    'has for the text %s the camera %s, as the server finds the sensors, in a console of any language',
    (text, noteName) => {
      const cameras = [camera(1, 1), { ...camera(2, 1), noteName }];
      const { videos, sections } = gridContentOf({ ...source, cameras, choice: choiceOf({}), text });
      expect(videos).toMatchObject([{ noteName }]);
      expect(sections).toMatchObject([{ filter: { groupId: 0, deviceName: text } }, { filter: { groupId: 1 } }]);
    },
  );

  it('follows the groups’ counts for a state', () => {
    const cameras = [camera(1, 1, 0)];
    const online = gridContentOf({ ...source, cameras, choice: choiceOf({}), state: 'online' });
    expect(online.videos).toEqual([]);
    expect(online.sections.map(({ count }) => count)).toEqual([3, 200]);
    const offline = gridContentOf({ ...source, cameras, choice: choiceOf({}), state: 'offline' });
    expect(offline.videos).toHaveLength(1);
    expect(offline.sections).toMatchObject([
      { key: '1', count: 50, filter: { groupId: 1, onlineState: 0 }, first: undefined },
    ]);
  });

  it('is everything if all ticked scenes and devices are gone', () => {
    expect(gridContentOf({ ...source, choice: choiceOf({ scenes: '77' }) }).sensors).toBe(253);
    expect(gridContentOf({ ...source, choice: choiceOf({ devices: 'GONE' }) }).sensors).toBe(0);
  });
});

const pages = (excluded: string[] = [], first = true): Section => ({
  kind: 'pages',
  key: '1',
  count: 250 - excluded.length,
  filter: { groupId: 1 },
  total: 250,
  first: first ? field.slice(0, 100) : undefined,
  excluded: new Set(excluded),
});
const page = (pageNo: number) => field.slice((pageNo - 1) * 100, pageNo * 100);

describe('a section', () => {
  it('fetches only the pages in view', () => {
    expect(pagesFor(pages(), { from: 0, to: 100 })).toEqual([]);
    expect(pagesFor(pages([], false), { from: 0, to: 100 })).toEqual([1]);
    expect(pagesFor(pages(), { from: 99, to: 101 })).toEqual([2]);
    expect(pagesFor(pages(), { from: 230, to: 250 })).toEqual([3]);
    expect(pagesFor(pages(), { from: 5, to: 5 })).toEqual([]);
  });

  it('also fetches the pages before if devices are excluded, since their positions are unknown', () => {
    expect(pagesFor(pages(['D-1000']), { from: 210, to: 215 })).toEqual([2, 3]);
    expect(pagesFor(pages(['D-1000']), { from: 90, to: 99 })).toEqual([]);
    expect(pagesFor(pages(['D-1000']), { from: 90, to: 100 })).toEqual([2]);
  });

  it('assigns devices to their places, and none to those not fetched yet', () => {
    const names = (devices: (Device | undefined)[]) => devices.map((device) => device?.deviceName);
    expect(names(devicesOf(pages(), { from: 98, to: 102 }, () => undefined))).toEqual([
      'D-1098',
      'D-1099',
      undefined,
      undefined,
    ]);
    expect(names(devicesOf(pages(), { from: 248, to: 250 }, page))).toEqual(['D-1248', 'D-1249']);
    const left = pages(['D-1000', 'D-1120']);
    expect(names(devicesOf(left, { from: 0, to: 2 }, page))).toEqual(['D-1001', 'D-1002']);
    expect(names(devicesOf(left, { from: 118, to: 120 }, page))).toEqual(['D-1119', 'D-1121']);
    expect(names(devicesOf(left, { from: 98, to: 100 }, () => undefined))).toEqual(['D-1099', undefined]);
  });

  it('takes its part of a range', () => {
    const { sections } = gridContentOf({ ...source, choice: choiceOf({}) });
    expect(partsOf(sections, { from: 2, to: 6 }).map(({ start, part }) => [start, part])).toEqual([
      [0, { from: 2, to: 3 }],
      [3, { from: 0, to: 3 }],
    ]);
    expect(partsOf(sections, { from: 300, to: 310 })).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Device, Group } from '@/lib/device/types';
import { device, group } from '@/test/telemetryServer';
import { firstDevice, groupRows, type Row, searchRows } from './rows';

const devices = (...ids: number[]): Device[] => ids.map((id) => device({ id, groupId: 1 }));
const open = () => true;
const short = (rows: readonly Row[]) => rows.map(({ key, level, position, of }) => `${key} ${level}:${position}/${of}`);

describe('rows of groups', () => {
  const groups = [group({ id: 0, groupName: '', deviceList: devices(7) }), group({ deviceList: devices(1, 2) })];

  it('are heads and the devices of open groups', () => {
    expect(short(groupRows(groups, ({ id }) => id === 1, new Map(), undefined))).toEqual([
      'group-0 1:1/2',
      'group-1 1:2/2',
      'device-1 2:1/2',
      'device-2 2:2/2',
    ]);
  });

  it('offer the next hundred if there are more', () => {
    const large = group({ deviceCount: 250, deviceList: devices(1, 2) });
    const rows = groupRows([large], open, new Map(), undefined);
    expect(rows.at(-1)).toMatchObject({ kind: 'more', source: 1, left: 248, state: 'idle' });
    const more = new Map([[1, { devices: devices(3, 4), state: 'loading' as const }]]);
    const extended = groupRows([large], open, more, undefined);
    expect(short(extended).slice(1, 5)).toEqual([
      'device-1 2:1/250',
      'device-2 2:2/250',
      'device-3 2:3/250',
      'device-4 2:4/250',
    ]);
    expect(extended.at(-1)).toMatchObject({ left: 246, state: 'loading' });
  });

  it('show a device at the boundary of two pages once', () => {
    const more = new Map([[1, { devices: devices(2, 3), state: 'idle' as const }]]);
    const rows = groupRows([group({ deviceCount: 3, deviceList: devices(1, 2) })], open, more, undefined);
    expect(rows.map(({ key }) => key)).toEqual(['group-1', 'device-1', 'device-2', 'device-3']);
  });

  it('include the selected device though its page is not loaded', () => {
    const chosen = device({ id: 99, groupId: 1 });
    const rows = groupRows([group({ deviceCount: 250, deviceList: devices(1, 2) })], open, new Map(), chosen);
    expect(rows.map(({ key }) => key)).toEqual(['group-1', 'device-1', 'device-2', 'device-99', 'more-1']);
    expect(
      groupRows([group({ deviceList: devices(1) })], open, new Map(), device({ id: 99, groupId: 5 })),
    ).toHaveLength(2);
  });

  it('mark an empty group', () => {
    expect(groupRows([group()], open, new Map(), undefined)[1]).toMatchObject({ kind: 'none', level: 2 });
  });
});

describe('rows of a search', () => {
  it('are devices, and the next hundred', () => {
    expect(short(searchRows(devices(1, 2), 2, 'idle'))).toEqual(['device-1 1:1/2', 'device-2 1:2/2']);
    expect(searchRows(devices(1, 2), 400, 'failed').at(-1)).toMatchObject({
      kind: 'more',
      source: 'search',
      left: 398,
      state: 'failed',
    });
  });
});

describe('initially', () => {
  const unassigned = (...ids: number[]): Group => group({ id: 0, groupName: '', deviceList: devices(...ids) });

  it('the first device is selected, also one in no scene', () => {
    expect(firstDevice([unassigned(1), group({ deviceList: devices(2) })])?.id).toBe(1);
  });

  it('an empty scene is skipped', () => {
    expect(firstDevice([unassigned(), group(), group({ id: 2, deviceList: devices(5) })])?.id).toBe(5);
    expect(firstDevice([unassigned(), group()])).toBeUndefined();
    expect(firstDevice([])).toBeUndefined();
  });
});

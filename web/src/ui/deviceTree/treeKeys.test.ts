import { describe, expect, it } from 'vitest';
import { device, group } from '@/test/telemetryServer';
import { groupRows, type Row } from './rows';
import { treeAction } from './treeKeys';

const groups = [
  group({ id: 0, groupName: '', deviceList: [device({ id: 1 })] }),
  group({ id: 1, deviceCount: 30, deviceList: Array.from({ length: 20 }, (_, i) => device({ id: 10 + i })) }),
  group({ id: 2, deviceList: [] }),
];
// 0 closed head, 1 open head, 2–21 devices, 22 more, 23 open head, 24 none
const rows: Row[] = groupRows(groups, ({ id }) => id > 0, new Map(), undefined);

describe('keys of the tree', () => {
  it.each([
    ['ArrowDown', 0, { kind: 'move', to: 1 }],
    ['ArrowDown', 24, { kind: 'move', to: 24 }],
    ['ArrowUp', 1, { kind: 'move', to: 0 }],
    ['ArrowUp', 0, { kind: 'move', to: 0 }],
    ['Home', 12, { kind: 'move', to: 0 }],
    ['End', 3, { kind: 'move', to: 24 }],
    ['PageDown', 3, { kind: 'move', to: 13 }],
    ['PageDown', 20, { kind: 'move', to: 24 }],
    ['PageUp', 5, { kind: 'move', to: 0 }],
    ['ArrowRight', 0, { kind: 'toggle', row: 0 }],
    ['ArrowRight', 1, { kind: 'move', to: 2 }],
    ['ArrowRight', 2, null],
    ['ArrowLeft', 1, { kind: 'toggle', row: 1 }],
    ['ArrowLeft', 0, null],
    ['ArrowLeft', 9, { kind: 'move', to: 1 }],
    ['ArrowLeft', 22, { kind: 'move', to: 1 }],
    ['Enter', 0, { kind: 'toggle', row: 0 }],
    ['Enter', 2, { kind: 'act', row: 2 }],
    [' ', 22, { kind: 'act', row: 22 }],
    ['Enter', 24, null],
    ['a', 2, null],
    ['Tab', 2, null],
  ])('%s at row %i', (key, at, expected) => {
    expect(treeAction(rows, at, key)).toEqual(expected);
  });

  it('return to the first row when the active row is gone', () => {
    expect(treeAction(rows, 400, 'ArrowDown')).toEqual({ kind: 'move', to: 0 });
    expect(treeAction([], 0, 'ArrowDown')).toBeNull();
  });

  it('do nothing to the left or right in a list without groups', () => {
    const found: Row[] = [{ kind: 'device', key: 'device-1', device: device(), level: 1, position: 1, of: 1 }];
    expect(treeAction(found, 0, 'ArrowLeft')).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { device, group } from '@/test/telemetryServer';
import {
  choiceOf,
  emptyChoice,
  groupTick,
  isShown,
  isTicked,
  searchOf,
  toggleDevice,
  toggleGroup,
  withoutMissingScenes,
} from './choice';
import { dataSearch } from './search';

const a = device({ deviceName: 'A', groupId: 1 });
const b = device({ deviceName: 'B', groupId: 1 });
const c = device({ deviceName: 'C', groupId: 2 });
const groupOf = (name: string) => [a, b, c].find(({ deviceName }) => deviceName === name)?.groupId;
const searchFor = (choice: Parameters<typeof searchOf>[0]) => searchOf(choice);

describe('with nothing ticked', () => {
  it('shows all devices and ticks none', () => {
    expect(isShown(emptyChoice, a)).toBe(true);
    expect(isTicked(emptyChoice, a)).toBe(false);
    expect(groupTick(emptyChoice, 1, groupOf)).toBe(false);
  });
});

describe('a device', () => {
  it('is shown alone when ticked, and with a second one', () => {
    let choice = toggleDevice(emptyChoice, a);
    expect([a, b, c].map((device) => isShown(choice, device))).toEqual([true, false, false]);
    choice = toggleDevice(choice, c);
    expect(searchFor(choice)).toEqual({ devices: 'A,C' });
    expect([groupTick(choice, 1, groupOf), groupTick(choice, 2, groupOf)]).toEqual(['mixed', 'mixed']);
    choice = toggleDevice(toggleDevice(choice, a), c);
    expect(searchFor(choice)).toEqual({});
    expect(isShown(choice, b)).toBe(true);
  });

  it('of a ticked scene is excluded and included again', () => {
    let choice = toggleDevice(toggleGroup(emptyChoice, 1, groupOf), a);
    expect(searchFor(choice)).toEqual({ scenes: '1', except: 'A' });
    expect([a, b, c].map((device) => isTicked(choice, device))).toEqual([false, true, false]);
    expect(groupTick(choice, 1, groupOf)).toBe('mixed');
    choice = toggleDevice(choice, a);
    expect(searchFor(choice)).toEqual({ scenes: '1' });
  });
});

describe('a scene', () => {
  it('replaces its single devices when ticked; unticked, it removes all', () => {
    let choice = toggleGroup(toggleDevice(toggleDevice(emptyChoice, a), c), 1, groupOf);
    expect(searchFor(choice)).toEqual({ scenes: '1', devices: 'C' });
    expect(groupTick(choice, 1, groupOf)).toBe(true);
    choice = toggleGroup(choice, 1, groupOf);
    expect(searchFor(choice)).toEqual({ devices: 'C' });
  });

  it('with exceptions is ticked completely first', () => {
    const some = choiceOf({ scenes: '1', except: 'A' });
    expect(searchFor(toggleGroup(some, 1, groupOf))).toEqual({ scenes: '1' });
  });

  it('is ignored if it no longer exists', () => {
    expect(withoutMissingScenes(choiceOf({ scenes: '1,9' }), [group({ id: 1 })]).scenes).toEqual(new Set([1]));
  });
});

describe('the address', () => {
  it('is read as it was written, digits included', () => {
    expect(dataSearch({ scenes: 3, devices: 12, except: 'A', state: 'online' })).toEqual({
      scenes: '3',
      devices: '12',
      except: 'A',
      state: 'online',
    });
    expect(choiceOf(dataSearch({ scenes: '0,3', devices: 'A,B' }))).toMatchObject({
      scenes: new Set([0, 3]),
      devices: new Set(['A', 'B']),
    });
  });

  it('opens a history only together with a device', () => {
    expect(dataSearch({ device: 'A', history: 1 })).toEqual({ device: 'A', history: 1 });
    expect(dataSearch({ device: 77, history: '1' })).toEqual({ device: '77', history: 1 });
    expect(dataSearch({ history: 1 })).toEqual({});
    expect(dataSearch({ device: 'A', history: 'no' })).toEqual({ device: 'A' });
  });

  it('ignores invalid values', () => {
    expect(dataSearch({ scenes: {}, devices: '', state: 'asleep', except: null })).toEqual({});
    expect(choiceOf({ scenes: 'x,-1,1.5' }).scenes.size).toBe(0);
  });
});

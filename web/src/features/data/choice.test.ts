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
  it('all is shown and nothing is ticked', () => {
    expect(isShown(emptyChoice, a)).toBe(true);
    expect(isTicked(emptyChoice, a)).toBe(false);
    expect(groupTick(emptyChoice, 1, groupOf)).toBe(false);
  });
});

describe('a device', () => {
  it('ticked is shown alone, and a second one with it', () => {
    let choice = toggleDevice(emptyChoice, a);
    expect([a, b, c].map((one) => isShown(choice, one))).toEqual([true, false, false]);
    choice = toggleDevice(choice, c);
    expect(searchFor(choice)).toEqual({ devices: 'A,C' });
    expect([groupTick(choice, 1, groupOf), groupTick(choice, 2, groupOf)]).toEqual(['mixed', 'mixed']);
    choice = toggleDevice(toggleDevice(choice, a), c);
    expect(searchFor(choice)).toEqual({});
    expect(isShown(choice, b)).toBe(true);
  });

  it('of a ticked scene is left out and taken back', () => {
    let choice = toggleDevice(toggleGroup(emptyChoice, 1, groupOf), a);
    expect(searchFor(choice)).toEqual({ scenes: '1', except: 'A' });
    expect([a, b, c].map((one) => isTicked(choice, one))).toEqual([false, true, false]);
    expect(groupTick(choice, 1, groupOf)).toBe('mixed');
    choice = toggleDevice(choice, a);
    expect(searchFor(choice)).toEqual({ scenes: '1' });
  });
});

describe('a scene', () => {
  it('ticked takes its single devices along, and unticked takes all away', () => {
    let choice = toggleGroup(toggleDevice(toggleDevice(emptyChoice, a), c), 1, groupOf);
    expect(searchFor(choice)).toEqual({ scenes: '1', devices: 'C' });
    expect(groupTick(choice, 1, groupOf)).toBe(true);
    choice = toggleGroup(choice, 1, groupOf);
    expect(searchFor(choice)).toEqual({ devices: 'C' });
  });

  it('of which some are left out is made whole first', () => {
    const some = choiceOf({ scenes: '1', except: 'A' });
    expect(searchFor(toggleGroup(some, 1, groupOf))).toEqual({ scenes: '1' });
  });

  it('that is gone does not count', () => {
    expect(withoutMissingScenes(choiceOf({ scenes: '1,9' }), [group({ id: 1 })]).scenes).toEqual(new Set([1]));
  });
});

describe('the address', () => {
  it('is read as it was written, digits too', () => {
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

  it('opens a history only of a device', () => {
    expect(dataSearch({ device: 'A', history: 1 })).toEqual({ device: 'A', history: 1 });
    expect(dataSearch({ device: 77, history: '1' })).toEqual({ device: '77', history: 1 });
    expect(dataSearch({ history: 1 })).toEqual({});
    expect(dataSearch({ device: 'A', history: 'no' })).toEqual({ device: 'A' });
  });

  it('with nonsense asks for everything', () => {
    expect(dataSearch({ scenes: {}, devices: '', state: 'asleep', except: null })).toEqual({});
    expect(choiceOf({ scenes: 'x,-1,1.5' }).scenes.size).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { MapMarker } from '@/lib/device/types';
import { type DeviceFeature, deviceFeature, type Feature } from './clusters';
import { withRoom } from './room';

const at = (deviceName: string, x: number, y: number, change: Partial<MapMarker> = {}) =>
  deviceFeature({
    deviceName,
    noteName: '',
    groupId: 1,
    longitude: x,
    latitude: y,
    onlineState: 1,
    reading: { value: 1, time: 1 },
    ...change,
  });
const pointOf = ({ place }: Feature) => ({ x: place.longitude, y: place.latitude });
const room = (features: Feature[], named = false, selected?: string) =>
  withRoom(features, pointOf, selected, named) as DeviceFeature[];

describe('the room of marks', () => {
  it('is a pill for a device with a value, where it is alone', () => {
    const [alone, without] = room([at('a', 0, 0), at('b', 200, 0, { reading: undefined })]);
    expect(alone?.room).toEqual({ pill: true, name: false });
    expect(alone?.offset).toEqual({ x: 0, y: 0 });
    expect(without?.room).toBeUndefined();
  });

  it('is beside the position where another mark is close', () => {
    const [first, second] = room([at('a', 0, 0), at('b', 20, 0)]);
    expect([first, second].map((mark) => mark?.room?.pill)).toEqual([true, true]);
    expect(
      Math.abs((first?.offset.x ?? 0) - (second?.offset.x ?? 0) - 20) +
        Math.abs((first?.offset.y ?? 0) - (second?.offset.y ?? 0)),
    ).toBeGreaterThan(20);
  });

  it('goes to the selected device and to the worst alarm first, and the others are dots', () => {
    const crowd = Array.from({ length: 40 }, (_, i) => at(`d${i}`, (i % 8) * 18, Math.floor(i / 8) * 18));
    const marks = room([...crowd, at('worst', 60, 40, { alarmLevel: 2 }), at('chosen', 80, 50)], false, 'chosen');
    const pills = marks.filter(({ room: own }) => own?.pill).map(({ marker }) => marker.deviceName);
    expect(pills.length).toBeLessThan(42);
    expect(marks).toHaveLength(42);
  });

  it('has names only when asked for', () => {
    expect(room([at('a', 0, 0)], true)[0]?.room?.name).toBe(true);
    expect(room([at('a', 0, 0)], false)[0]?.room?.name).toBe(false);
  });
});

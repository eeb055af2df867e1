import { describe, expect, it } from 'vitest';
import { eventOf } from './event';

const frame = (name: string, data: string) => ({ name, data, id: 'e-1' });

describe('eventOf', () => {
  it('reads readings and presence', () => {
    const reading = { deviceName: 'WS-0001', time: 1, values: { airTemperature: 3.4, heating: true, live: 'x' } };
    expect(eventOf(frame('reading', JSON.stringify(reading)))).toEqual({ name: 'reading', data: reading });
    const presence = { deviceName: 'WS-0001', onlineState: 0, time: 2 };
    expect(eventOf(frame('presence', JSON.stringify(presence)))).toEqual({ name: 'presence', data: presence });
  });

  it('hands notices and messages on as they are', () => {
    expect(eventOf(frame('notice', '{"id":4}'))).toEqual({ name: 'notice', data: { id: 4 } });
    expect(eventOf(frame('message', '{}'))).toEqual({ name: 'message', data: {} });
    expect(eventOf(frame('delivery', '{}'))).toEqual({ name: 'delivery', data: {} });
    expect(eventOf(frame('budget', '{}'))).toEqual({ name: 'budget', data: {} });
  });

  it('reads what changed, also of sorts that it does not know', () => {
    const change = { of: ['device', 'weather'] };
    expect(eventOf(frame('change', JSON.stringify(change)))).toEqual({ name: 'change', data: change });
  });

  it('passes over what it does not know', () => {
    expect(eventOf(frame('weather', '{}'))).toBeNull();
  });

  it.each([
    ['reading', '{'],
    ['reading', '[]'],
    ['reading', '{"deviceName":"a","time":"soon","values":{}}'],
    ['reading', '{"deviceName":"a","time":1,"values":[]}'],
    ['presence', '{"deviceName":"a","time":1,"onlineState":2}'],
    ['presence', 'null'],
    ['change', '{}'],
    ['change', '{"of":"device"}'],
    ['change', '{"of":[1]}'],
    ['notice', 'not json'],
    ['reset', '{}'],
  ])('turns an unreadable %s %s into a reset', (name, data) => {
    expect(eventOf(frame(name, data))).toEqual({ name: 'reset' });
  });
});

import { describe, expect, it } from 'vitest';
import { parseEvent } from './event';

const frame = (name: string, data: string) => ({ name, data, id: 'e-1' });

describe('parseEvent', () => {
  it('parses readings and presence', () => {
    const reading = { deviceName: 'WS-0001', time: 1, values: { airTemperature: 3.4, heating: true, live: 'x' } };
    expect(parseEvent(frame('reading', JSON.stringify(reading)))).toEqual({ name: 'reading', data: reading });
    const presence = { deviceName: 'WS-0001', onlineState: 0, time: 2 };
    expect(parseEvent(frame('presence', JSON.stringify(presence)))).toEqual({ name: 'presence', data: presence });
  });

  it('parses what went wrong with a device', () => {
    const hint = { deviceName: 'WS-0001', kind: 'refused', time: 3, identifier: 'temp', didYouMean: 'airTemperature' };
    expect(parseEvent(frame('hint', JSON.stringify(hint)))).toEqual({ name: 'hint', data: hint });
  });

  it('passes notices and messages on unchanged', () => {
    expect(parseEvent(frame('notice', '{"id":4}'))).toEqual({ name: 'notice', data: { id: 4 } });
    expect(parseEvent(frame('message', '{}'))).toEqual({ name: 'message', data: {} });
    expect(parseEvent(frame('delivery', '{}'))).toEqual({ name: 'delivery', data: {} });
    expect(parseEvent(frame('budget', '{}'))).toEqual({ name: 'budget', data: {} });
  });

  it('parses changes, also of unknown kinds', () => {
    const change = { of: ['device', 'weather'] };
    expect(parseEvent(frame('change', JSON.stringify(change)))).toEqual({ name: 'change', data: change });
  });

  it('parses whether readings are stored', () => {
    expect(parseEvent(frame('storage', '{"stoppedAt":7}'))).toEqual({ name: 'storage', data: { stoppedAt: 7 } });
    expect(parseEvent(frame('storage', '{}'))).toEqual({ name: 'storage', data: {} });
  });

  it('ignores unknown events', () => {
    expect(parseEvent(frame('weather', '{}'))).toBeNull();
  });

  it.each([
    ['reading', '{'],
    ['reading', '[]'],
    ['reading', '{"deviceName":"a","time":"soon","values":{}}'],
    ['reading', '{"deviceName":"a","time":1,"values":[]}'],
    ['presence', '{"deviceName":"a","time":1,"onlineState":2}'],
    ['presence', 'null'],
    ['hint', '{"deviceName":"a","kind":"refused"}'],
    ['hint', '{"kind":"refused","time":1}'],
    ['change', '{}'],
    ['change', '{"of":"device"}'],
    ['change', '{"of":[1]}'],
    ['storage', '{"stoppedAt":"noon"}'],
    ['notice', 'not json'],
    ['reset', '{}'],
  ])('turns an unreadable %s %s into a reset', (name, data) => {
    expect(parseEvent(frame(name, data))).toEqual({ name: 'reset' });
  });
});

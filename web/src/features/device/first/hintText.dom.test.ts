import { readFileSync } from 'node:fs';
import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { languageCodes } from '@/lib/i18n/languages';
import { mastModel } from '@/test/samples';
import type { DeviceHint } from '../queries';
import { hintText } from './hintText';

const of = (hint: Omit<DeviceHint, 'time'>) =>
  hintText({ time: 0, ...hint }, { deviceName: 'd-abc', model: 'Soil probe', properties: mastModel }, i18next.t);

describe('a hint', () => {
  it.each<[string, Omit<DeviceHint, 'time'>]>([
    [
      'A device at 203.0.113.x signed in as d-abc with another secret. Put this device’s secret into it, or make a new one.',
      { kind: 'wrongSecret', address: '203.0.113.x' },
    ],
    [
      '“temp” is not a parameter of Soil probe. Did you mean airTemperature?',
      { kind: 'refused', identifier: 'temp', reason: 'unknown', didYouMean: 'airTemperature' },
    ],
    ['“xyz”: The device model has no such parameter.', { kind: 'refused', identifier: 'xyz', reason: 'unknown' }],
    ['The message is larger than the server takes.', { kind: 'refused', reason: 'tooLarge' }],
    ['“xyz”: laterReason.', { kind: 'refused', identifier: 'xyz', reason: 'laterReason' }],
    [
      'Something arrived that is not readable JSON. It should look like this: {"airTemperature":20,"airHumidity":20}',
      { kind: 'unreadable' },
    ],
    [
      'The device at 203.0.113.x speaks MQTT 3.1, which is not supported. Set it to MQTT 3.1.1 or MQTT 5.',
      { kind: 'wrongProtocol', reason: 'mqtt31', address: '203.0.113.x' },
    ],
    [
      'The device at 203.0.113.x gave no secret. Set its user name to d-abc and its password to this device’s secret.',
      { kind: 'wrongProtocol', reason: 'noSecret', address: '203.0.113.x' },
    ],
    ['laterFault', { kind: 'wrongProtocol', reason: 'laterFault' }],
    [
      'The device at 203.0.113.x reports to a path that is not quite right. Its readings are taken all the same; set the path to /api/v1/SECRET/ecowitt, with this device’s secret in place of SECRET.',
      { kind: 'wrongPath', address: '203.0.113.x', path: '/api/v1/SECRET/ecowitt' },
    ],
    [
      'The device at 203.0.113.x reports to a path where nothing is taken. The right ones are /api/v1/SECRET/telemetry (JSON), /api/v1/SECRET/ecowitt (Ecowitt), /weatherstation/updateweatherstation.php? (Weather Underground), with this device’s secret in place of SECRET.',
      { kind: 'wrongPath', address: '203.0.113.x' },
    ],
  ])('says: %s', (sentence, hint) => {
    expect(of(hint)).toBe(sentence);
  });

  it.each(languageCodes)('has the server’s own reasons, in %s', (language) => {
    const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
    const own: Record<string, string> = read(`src/locales/${language}.json`).device.refusal;
    const texts: Record<string, string> = read(`../internal/platform/text/locales/${language}.json`);
    const reasons = Object.entries(texts).flatMap(([key, text]) =>
      key.startsWith('refusal.') ? [[key.replace('refusal.', ''), text]] : [],
    );
    expect(Object.entries(own).sort()).toEqual(reasons.sort());
  });
});

import { describe, expect, it } from 'vitest';
import type { TslProperty } from '@/lib/device/types';
import { commandLinesOf, sampleValues, shellQuote } from './commandLines';

const property = (identifier: string, change: Partial<TslProperty> = {}): TslProperty => ({
  identifier,
  functionName: identifier,
  yeuName: identifier,
  yeuUrl: '',
  elementUnit: '',
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  ...change,
});
const connection = {
  deviceName: 'WS-1',
  gateway: false,
  http: 'https://farm.example',
  mqttHost: 'farm.example',
  mqttPort: 1883,
  mqttTlsPort: 8883,
  topic: 'v1/devices/me/telemetry',
  secrets: 1,
};

describe('the command lines', () => {
  it('send one message by each protocol', () => {
    expect(commandLinesOf(connection, { a: 1 }, 0)).toEqual([
      {
        way: 'MQTT',
        command: `mosquitto_pub -h farm.example -p 1883 -q 1 -u WS-1 -P SECRET -t v1/devices/me/telemetry -m '{"a":1}'`,
      },
      {
        way: 'MQTT + TLS',
        command: `mosquitto_pub -h farm.example -p 8883 --tls-use-os-certs -q 1 -u WS-1 -P SECRET -t v1/devices/me/telemetry -m '{"a":1}'`,
      },
      {
        way: 'HTTP',
        command: `curl -i -H 'Content-Type: application/json' -d '{"a":1}' https://farm.example/api/v1/SECRET/telemetry`,
      },
    ]);
  });

  it('hold a secret that is known', () => {
    const [mqtt, , http] = commandLinesOf(connection, {}, 0, 'a secret');
    expect(mqtt?.command).toContain(`-u WS-1 -P 'a secret' `);
    expect(http?.command).toContain('/api/v1/a%20secret/telemetry');
  });

  it('are only those of protocols that the server offers', () => {
    const ways = commandLinesOf({ ...connection, mqttPort: 0, mqttTlsPort: 0 }, {}, 0).map(({ way }) => way);
    expect(ways).toEqual(['HTTP']);
  });

  it('of a gateway report for another device by MQTT, but for itself by HTTP', () => {
    const gateway = { ...connection, gateway: true, topic: 'v1/gateway/telemetry', mqttTlsPort: 0 };
    const [mqtt, http] = commandLinesOf(gateway, { a: 1 }, 1795230000000);
    expect(mqtt?.command).toContain(`-t v1/gateway/telemetry -m '{"CHILD":[{"ts":1795230000000,"values":{"a":1}}]}'`);
    expect(http?.command).toContain(`-d '{"a":1}'`);
  });

  it('quote every name as a single shell word', () => {
    expect(shellQuote('WS-1')).toBe('WS-1');
    expect(shellQuote('a b')).toBe("'a b'");
    expect(shellQuote("it's $(rm)")).toBe(`'it'\\''s $(rm)'`);
    expect(commandLinesOf({ ...connection, deviceName: '$HOME;x' }, {}, 0)[0]?.command).toContain("-u '$HOME;x' ");
  });
});

describe('the message', () => {
  it('contains the values that the device sent last', () => {
    const last = [{ airTemperature: { value: 3.4, time: 0, unit: '', name: '' } }];
    expect(sampleValues([property('airTemperature')], last)).toEqual({ airTemperature: 3.4 });
  });

  it('otherwise contains valid values of the first two properties', () => {
    const properties = [property('depth', { max: 5 }), property('open', { dataType: 'boolean' }), property('third')];
    expect(sampleValues(properties, [])).toEqual({ depth: 5, open: true });
    expect(sampleValues([property('note', { dataType: 'text' }), property('hot', { min: 40 })], [])).toEqual({
      note: 'text',
      hot: 40,
    });
  });

  it('leaves out what the server computes', () => {
    expect(sampleValues([property('dewPoint', { formula: 'dewPoint' }), property('depth')], [])).toEqual({ depth: 20 });
  });
});

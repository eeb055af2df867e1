import { expect, test } from '@playwright/test';
import mqtt from 'mqtt';
import { root } from './certificate.ts';
import { addresses, applyText } from './server.ts';

// The same device with MQTT.js: over a WebSocket, as browsers and devices behind HTTP proxies come, and over TLS.

const secret = 'e2e-socket-2f9c41d07ab35e68';
const topic = 'v1/devices/me/telemetry';
const badPayload = 0x99;

test.beforeAll(() => {
  applyText(`tenants:
  - name: sockets
    timeZone: Europe/Istanbul
    language: en-us
    devices: [{deviceName: SO-0001, serial: S-0001, product: weather-mast, secret: ${secret}}]
`);
});

const ways = { 'a WebSocket': `ws://${addresses.http}/mqtt`, TLS: `mqtts://${addresses.mqttTls}` };

function connect(way: string, protocolVersion: 4 | 5, password: string): Promise<mqtt.MqttClient> {
  return mqtt.connectAsync(way, {
    ca: way.startsWith('mqtts:') ? root() : undefined,
    username: 'SO-0001',
    password,
    protocolVersion,
    reconnectPeriod: 0,
  });
}

/** How many values the server has kept, of all devices. */
async function valuesKept(): Promise<number> {
  const figures = await (await fetch(`http://${addresses.admin}/metrics`)).text();
  return Number(/^tilth_edge_values_total (\S+)$/m.exec(figures)?.[1]);
}

const runs = Object.entries(ways).flatMap(([name, way]) =>
  ([4, 5] as const).map((version) => ({ name, way, version })),
);

for (const { name, way, version } of runs) {
  test(`MQTT ${version === 4 ? '3.1.1' : '5'} over ${name}`, async () => {
    const before = await valuesKept();
    const client = await connect(way, version, secret);
    const sent = [];
    for (let i = 0; i < 30; i += 1) {
      // Each at a time of its own: the same values of the same time would be one reading.
      const payload = JSON.stringify({ ts: Date.now() - 1000 * i, values: { airTemperature: i, airHumidity: 50 } });
      sent.push(client.publishAsync(topic, payload, { qos: (i % 3) as 0 | 1 | 2 }));
    }
    // Of many WebSocket frames, and nearly as large as a message may be.
    sent.push(client.publishAsync(topic, `{"airTemperature":1}${' '.repeat(250_000)}`, { qos: 1 }));
    await Promise.all(sent);
    await expect.poll(valuesKept).toBe(before + 61);

    const granted = await client.subscribeAsync('v1/devices/me/rpc/request/+', { qos: 1 });
    expect(granted[0]?.qos).toBe(1);
    if (version === 5) {
      const refused = client.publishAsync(topic, '{"airTemperature":999}', { qos: 1 });
      await expect(refused).rejects.toMatchObject({ code: badPayload });
    }
    await client.endAsync();
  });
}

for (const [name, way] of Object.entries(ways)) {
  test(`a wrong secret is told so over ${name}`, async () => {
    await expect(connect(way, 5, 'not-the-secret-of-anything')).rejects.toThrow(/Bad User Name or Password/i);
  });
}

test('MQTT.js without the root does not trust the server', async () => {
  await expect(mqtt.connectAsync(ways.TLS, { reconnectPeriod: 0 })).rejects.toThrow(/self.signed/i);
});

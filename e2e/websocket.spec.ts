import { expect, test } from '@playwright/test';
import mqtt from 'mqtt';
import { addresses, applyText } from './server.ts';

// Devices that publish from browsers and through HTTP proxies: MQTT.js over a WebSocket.

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

function connect(protocolVersion: 4 | 5, password: string): Promise<mqtt.MqttClient> {
  return mqtt.connectAsync(`ws://${addresses.http}/mqtt`, {
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

for (const protocolVersion of [4, 5] as const) {
  test(`MQTT ${protocolVersion === 4 ? '3.1.1' : '5'} over a WebSocket`, async () => {
    const before = await valuesKept();
    const client = await connect(protocolVersion, secret);
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
    if (protocolVersion === 5) {
      const refused = client.publishAsync(topic, '{"airTemperature":999}', { qos: 1 });
      await expect(refused).rejects.toMatchObject({ code: badPayload });
    }
    await client.endAsync();
  });
}

test('a wrong secret is told so over a WebSocket', async () => {
  await expect(connect(5, 'not-the-secret-of-anything')).rejects.toThrow(/Bad User Name or Password/i);
});

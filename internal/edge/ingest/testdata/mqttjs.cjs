// A device that uses MQTT.js, the library for browsers and Node. mqttjs_test.go runs it: node mqttjs.cjs URL VERSION SECRET [ROOT]
// It publishes and subscribes, and prints the results as JSON; after an error it prints the error and exits with 1.
const { readFileSync } = require('node:fs');
const mqtt = require('mqtt');

const [url, version, password, root] = process.argv.slice(2);
const topic = 'v1/devices/me/telemetry';
const now = 1_700_000_000_000; // the clock of the edge under test

async function main() {
  const client = await mqtt.connectAsync(url, {
    ca: root && readFileSync(root),
    username: 'WS-1',
    password,
    protocolVersion: Number(version),
    reconnectPeriod: 0,
  });
  const sent = [];
  for (let i = 0; i < 30; i += 1) {
    // Each message has its own time: equal values with the same time would be one reading.
    const payload = JSON.stringify({ ts: now - 1000 * i, values: { airTemperature: i, humidity: 50 } });
    sent.push(client.publishAsync(topic, payload, { qos: i % 3 }));
  }
  // This message takes many WebSocket frames, and is nearly as large as a message may be.
  sent.push(client.publishAsync(topic, `{"airTemperature":1}${' '.repeat(250_000)}`, { qos: 1 }));
  await Promise.all(sent);
  const granted = await client.subscribeAsync('v1/devices/me/rpc/request/+', { qos: 1 });
  const outcome = { granted: granted[0]?.qos, refused: 0 };
  if (version === '5') {
    const refusal = await client.publishAsync(topic, '{"airTemperature":999}', { qos: 1 }).catch((error) => error);
    outcome.refused = refusal.code;
  }
  await client.endAsync();
  process.stdout.write(JSON.stringify(outcome));
}

main().catch((error) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});

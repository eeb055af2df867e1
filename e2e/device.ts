import mqtt from 'mqtt';
import { addresses } from './server.ts';

/** Publishes like a real device: MQTT.js over TCP, QoS 1. Resolves when the server has acknowledged. */
export async function publish(deviceName: string, secret: string, payload: unknown): Promise<void> {
  const client = await mqtt.connectAsync(`mqtt://${addresses().mqtt}`, {
    username: deviceName,
    password: secret,
    clientId: `e2e-${deviceName}`,
    protocolVersion: 5,
  });
  try {
    await client.publishAsync('v1/devices/me/telemetry', JSON.stringify(payload), { qos: 1 });
  } finally {
    await client.endAsync();
  }
}

/** The secret that e2e/tenants.yaml gives a device. */
export function secretOf(deviceName: string): string {
  return `e2e-${deviceName.toLowerCase().replace('-', '')}-2f9c41d07ab35e68`;
}

import type { Device, TslProperty } from '@/lib/device/types';
import type { Connection } from '../queries';

/**
 * Placeholders for an unknown secret and, in a gateway's lines, for another device's name. Shells do not
 * change them.
 */
export const secretPlaceholder = 'SECRET';
export const childPlaceholder = 'CHILD';

/** A command that sends one message, and its protocol. */
export interface CommandLine {
  way: 'MQTT' | 'MQTT + TLS' | 'HTTP';
  command: string;
}

/** Quotes any text as a single shell word. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9._:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const maxValues = 2;
type LastData = Device['lastData'];

/** A valid value: the last one that the device sent, otherwise one within the property's bounds. */
function sampleValue({ identifier, dataType, min, max }: TslProperty, lastData: LastData): number | boolean | string {
  const last = lastData[0]?.[identifier]?.value;
  if (last !== undefined && typeof last === dataTypes[dataType]) return last;
  if (dataType === 'boolean') return true;
  if (dataType === 'text') return 'text';
  return Math.min(max ?? Number.POSITIVE_INFINITY, Math.max(min ?? Number.NEGATIVE_INFINITY, 20));
}

const dataTypes = { number: 'number', boolean: 'boolean', text: 'string' } as const;

/** Values of the first properties of a model that its devices send. */
export function sampleValues(properties: readonly TslProperty[], lastData: LastData): Record<string, unknown> {
  const measured = properties.filter(({ formula }) => !formula).slice(0, maxValues);
  const values = measured.map((property) => [property.identifier, sampleValue(property, lastData)]);
  return Object.fromEntries(values);
}

/**
 * The commands for the protocols that this server offers. A gateway's MQTT lines report for another
 * device, measured at `at`.
 */
export function commandLinesOf(
  connection: Connection,
  values: Record<string, unknown>,
  at: number,
  secret = secretPlaceholder,
): CommandLine[] {
  const { deviceName, gateway, http, mqttHost, mqttPort, mqttTlsPort, topic } = connection;
  const own = JSON.stringify(values);
  const message = gateway ? JSON.stringify({ [childPlaceholder]: [{ ts: at, values }] }) : own;
  const mqtt = (port: number, extra = '') =>
    `mosquitto_pub -h ${shellQuote(mqttHost)} -p ${port}${extra} -q 1 -u ${shellQuote(deviceName)} -P ${shellQuote(secret)} ` +
    `-t ${shellQuote(topic)} -m ${shellQuote(message)}`;
  const lines: CommandLine[] = [];
  if (mqttPort > 0) lines.push({ way: 'MQTT', command: mqtt(mqttPort) });
  if (mqttTlsPort > 0) lines.push({ way: 'MQTT + TLS', command: mqtt(mqttTlsPort, ' --tls-use-os-certs') });
  const address = `${http.replace(/\/$/, '')}/api/v1/${encodeURIComponent(secret)}/telemetry`;
  lines.push({
    way: 'HTTP',
    command: `curl -i -H 'Content-Type: application/json' -d ${shellQuote(own)} ${shellQuote(address)}`,
  });
  return lines;
}

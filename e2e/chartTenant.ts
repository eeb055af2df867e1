import { publish } from './device.ts';
import { framesOf } from './historyTenant.ts';
import { runRule } from './rule.ts';
import { addresses, applyYaml } from './server.ts';

/** A user who reads laboratory instruments: numbers that are long, far below zero, or nearly zero. */
export const labUser = { tenantName: 'plateau', userName: 'lena', password: 'long-numbers-on-the-plateau' };

const minute = 60_000;
const hour = 60 * minute;
const secret = 'e2e-pl-0001-91c4e07ab35f2d68';

/** In the order of the model; the last unit has the maximum length. */
export const measuredValues = {
  illuminance: { unit: 'lx', decimals: 0, at: (ts: number) => Math.round(60_000 + 60_000 * Math.sin(ts / hour / 4)) },
  waterHead: { unit: 'm', decimals: 0, at: (ts: number) => Math.round(-25_000 - 25_000 * Math.sin(ts / hour / 5)) },
  traceGas: {
    unit: 'kg CO₂ equivalent per ha and day',
    decimals: 6,
    // Both the hours before a notice and a longer history have a tick at 0.00015.
    at: (ts: number) => 0.000107 + 0.000043 * Math.sin(ts / hour / 3),
  },
};
const names = {
  illuminance: { 'en-us': 'Illuminance', 'zh-cn': '光照强度', 'tr-tr': 'Aydınlık şiddeti', 'ru-ru': 'Освещённость' },
  waterHead: { 'en-us': 'Water head', 'zh-cn': '水头', 'tr-tr': 'Su yükü', 'ru-ru': 'Напор воды' },
  traceGas: {
    'en-us': 'Trace gas flux',
    'zh-cn': '痕量气体通量',
    'tr-tr': 'İz gaz akısı',
    'ru-ru': 'Поток следового газа',
  },
};

/** Creates the tenant, a week of readings of its one instrument, and an open notice of it. */
export async function sendLongNumbers(): Promise<void> {
  const numbers = Object.entries(measuredValues);
  await applyYaml(
    JSON.stringify({
      elements: numbers.map(([yeuSign, { unit }]) => ({
        yeuSign,
        unit,
        yeuName: names[yeuSign as keyof typeof names],
      })),
      products: [
        {
          name: 'long-numbers',
          properties: [
            ...numbers.map(([identifier, { unit, decimals }]) => ({
              identifier,
              functionName: identifier,
              elementUnit: unit,
              dataType: 'number',
              precision: decimals,
            })),
            { identifier: 'weather', functionName: 'Weather', dataType: 'text' },
          ],
        },
      ],
      tenants: [
        {
          name: labUser.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: labUser.userName, password: labUser.password, nickname: 'Lena' }],
          devices: [{ deviceName: 'PL-0001', serial: 'P-PL-0001', noteName: 'Bench', product: 'long-numbers', secret }],
        },
      ],
    }),
  );
  const end = Math.floor(Date.now() / (5 * minute)) * 5 * minute;
  const valuesAt = (ts: number) => Object.fromEntries(numbers.map(([id, { at }]) => [id, at(ts)]));
  const frames = framesOf({ from: end - 7 * 24 * hour, to: end - 30 * minute, every: 10 * minute }, valuesAt);
  const answer = await fetch(`${addresses().console}/api/v1/${secret}/telemetry`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(frames),
  });
  if (!answer.ok) throw new Error(`the readings were refused: ${answer.status} ${await answer.text()}`);

  const condition = (tslAttribute: string, subconditions: string, value: number | string) => ({
    andor: 'and',
    tslAttribute,
    subconditions,
    value,
  });
  await runRule(labUser, 'PL-0001', 'Long numbers', {
    conditions: [
      condition('illuminance', '>', 100_000),
      condition('waterHead', '<', -40_000),
      condition('traceGas', '>', 0.0001),
      condition('weather', '=', 'thunderstorm with hail'),
    ],
  });
  await publish('PL-0001', secret, {
    illuminance: 120_000,
    waterHead: -50_000,
    traceGas: 0.00015,
    weather: 'thunderstorm with hail',
  });
}

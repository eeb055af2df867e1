import { addresses, applyYaml } from './server.ts';

/** The user of the history tests: a tenant of its own, so that other tests' lists do not grow. */
export const historyUser = { tenantName: 'hillside', userName: 'ada', password: 'meadow-long-secret' };

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The identifiers of a history mast, in its product's order. */
export const signs = [
  'airTemperature',
  'airHumidity',
  'windSpeed',
  'soilMoisture30',
  'heating',
  'weatherNote',
] as const;
type Values = Partial<Record<(typeof signs)[number] | 'solarRadiation' | 'pumpRunning', number | boolean | string>>;
export type Frame = { ts: number; values: Values };

export const secretOf = (deviceName: string) => `e2e-${deviceName.toLowerCase()}-7d10c4be93fa2856`;

const device = (deviceName: string, noteName: string, product: string) =>
  `{deviceName: ${deviceName}, serial: H-${deviceName}, noteName: ${noteName}, product: ${product}, secret: "${secretOf(deviceName)}"}`;

/** Creates the tenant with its devices; applying it again changes nothing. */
export const applyHistoryTenant = (): Promise<void> =>
  applyYaml(`
elements:
  - {yeuSign: windSpeed, unit: m/s, yeuName: {en-us: Wind speed, zh-cn: 风速, tr-tr: Rüzgâr hızı, ru-ru: Скорость ветра}}
  - {yeuSign: soilMoisture30, unit: "%", yeuName: {en-us: "Soil moisture, 30 cm", zh-cn: 土壤水分30厘米, tr-tr: "Toprak nemi, 30 cm", ru-ru: "Влажность почвы, 30 см"}}
  - {yeuSign: solarRadiation, unit: W/m², yeuName: {en-us: Global radiation, zh-cn: 总辐射, tr-tr: Küresel ışınım, ru-ru: Суммарная радиация}}
  - {yeuSign: weatherNote, unit: "", yeuName: {en-us: Weather note, zh-cn: 天气备注, tr-tr: Hava notu, ru-ru: Заметка о погоде}}
products:
  - name: history-mast
    properties:
      - {identifier: airTemperature, functionName: Air temperature, elementUnit: "°C", dataType: number, precision: 1, min: -50, max: 60}
      - {identifier: airHumidity, functionName: Relative humidity, elementUnit: "%", dataType: number, precision: 1, min: 0, max: 100}
      - {identifier: windSpeed, functionName: Wind speed, elementUnit: m/s, dataType: number, precision: 1, min: 0, max: 60}
      - {identifier: soilMoisture30, functionName: Soil moisture, elementUnit: "%", dataType: number, precision: 2, min: 0, max: 100}
      - {identifier: heating, functionName: Heating, dataType: boolean}
      - {identifier: weatherNote, functionName: Weather note, dataType: text}
  - name: five-numbers
    properties:
      - {identifier: airTemperature, functionName: Air temperature, elementUnit: "°C", dataType: number, precision: 1}
      - {identifier: airHumidity, functionName: Relative humidity, elementUnit: "%", dataType: number, precision: 1}
      - {identifier: windSpeed, functionName: Wind speed, elementUnit: m/s, dataType: number, precision: 1}
      - {identifier: soilMoisture30, functionName: Soil moisture, elementUnit: "%", dataType: number, precision: 2}
      - {identifier: solarRadiation, functionName: Global radiation, elementUnit: W/m², dataType: number, precision: 0}
tenants:
  - name: hillside
    hosts: [hillside.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users:
      - {userName: ada, password: "${historyUser.password}", nickname: Ada Yılmaz}
    devices:
      - ${device('HS-0001', 'Meadow mast', 'history-mast')}
      - ${device('HS-0002', 'Hill mast', 'history-mast')}
      - ${device('HS-0003', 'Dense mast', 'five-numbers')}
`);

/** Deterministic weather: the same for the same minute. */
export function weatherAt(ts: number): Values {
  const hours = ts / hour;
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    airTemperature: round(12 + 8 * Math.sin((hours / 24) * 2 * Math.PI) + Math.sin(hours * 7)),
    airHumidity: round(60 - 25 * Math.sin((hours / 24) * 2 * Math.PI)),
    windSpeed: round(3 + 2 * Math.sin(hours * 3)),
  };
}

/** Frames at an interval from a time to another, inclusive, without those in the silent span. */
export function framesOf(
  { from, to, every }: { from: number; to: number; every: number },
  valuesAt: (ts: number, index: number) => Values,
  silent?: { from: number; to: number },
): Frame[] {
  const frames: Frame[] = [];
  for (let ts = from, index = 0; ts <= to; ts += every, index += 1) {
    if (silent && ts > silent.from && ts < silent.to) continue;
    frames.push({ ts, values: valuesAt(ts, index) });
  }
  return frames;
}

/** Below the message limit of 256 KiB. */
const messageLength = 240_000;

/** Sends a logger's backlog in as few messages as possible. Resolves once all of it is on disk. */
export async function sendBacklog(deviceName: string, frames: readonly Frame[]): Promise<void> {
  let batch: string[] = [];
  let length = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const answer = await fetch(`${addresses().console}/api/v1/${secretOf(deviceName)}/telemetry`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `[${batch.join(',')}]`,
    });
    if (!answer.ok) throw new Error(`the readings were refused: ${answer.status} ${await answer.text()}`);
    batch = [];
    length = 0;
  };
  for (const frame of frames) {
    const text = JSON.stringify(frame);
    if (length + text.length + 1 > messageLength) await flush();
    batch.push(text);
    length += text.length + 1;
  }
  await flush();
}

/**
 * The end of the masts' readings: shortly before now, rounded so that a restarted worker computes
 * the same.
 */
export const end = Math.floor(Date.now() / (5 * minute)) * 5 * minute;
// The first window of seven days holds eight silent hours.
const silentFrom = Math.ceil((end - 7 * day) / hour) * hour + 10 * hour;
const silentSpan = { from: silentFrom, to: silentFrom + 8 * hour };

async function weather(): Promise<void> {
  await applyHistoryTenant();
  const frames = framesOf(
    { from: end - 14 * day, to: end, every: 5 * minute },
    (ts, index) => ({
      ...weatherAt(ts),
      soilMoisture30: 30 + (index % 50) / 10,
      heating: Math.floor(ts / (6 * hour)) % 2 === 0,
      weatherNote: Math.floor(ts / (12 * hour)) % 2 === 0 ? 'clear' : 'overcast',
    }),
    silentSpan,
  );
  await sendBacklog('HS-0001', frames);
  await sendBacklog(
    'HS-0002',
    framesOf({ from: end - 7 * day, to: end, every: 10 * minute }, (ts) => ({
      airTemperature: (weatherAt(ts).airTemperature as number) + 3,
    })),
  );
}

let sending: Promise<void> | undefined;

/**
 * Creates the tenant, two weeks of readings of its first mast and one of its second, which is on a
 * hill; only once per worker.
 */
export function sendWeather(): Promise<void> {
  sending ??= weather();
  return sending;
}

import type { Page } from '@playwright/test';
import { publish } from './device.ts';
import { day, framesOf, hour, secretOf, sendBacklog, weatherAt } from './historyTenant.ts';
import { runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect } from './test.ts';
import { openSignedIn } from './testUsers.ts';

/** A user who compares fields over the years; a tenant of its own, so that other tests' lists do not grow. */
export const analysisUser = { tenantName: 'tea-garden', userName: 'selin', password: 'years-over-the-terraces' };

const device = (deviceName: string, noteName: string, product: string) =>
  `{deviceName: ${deviceName}, serial: T-${deviceName}, noteName: ${noteName}, product: ${product}, secret: "${secretOf(deviceName)}", scene: Slope, longitude: 27.34, latitude: 37.85}`;

/** Creates the tenant with its devices; applying it again changes nothing. */
export const applyAnalysisTenant = (): Promise<void> =>
  applyYaml(`
elements:
  - {yeuSign: rainfall, unit: mm, yeuName: {en-us: Rainfall, zh-cn: 降雨量, tr-tr: Yağış, ru-ru: Осадки}}
  - {yeuSign: soilMoisture10, unit: "%", yeuName: {en-us: "Soil moisture, 10 cm", zh-cn: 土壤水分10厘米, tr-tr: "Toprak nemi, 10 cm", ru-ru: "Влажность почвы, 10 см"}}
  - {yeuSign: soilMoisture30, unit: "%", yeuName: {en-us: "Soil moisture, 30 cm", zh-cn: 土壤水分30厘米, tr-tr: "Toprak nemi, 30 cm", ru-ru: "Влажность почвы, 30 см"}}
products:
  - name: well
    properties:
      - {identifier: pumpRunning, functionName: Pump, dataType: boolean}
  - name: terrace-mast
    properties:
      - {identifier: airTemperature, functionName: Air temperature, elementUnit: "°C", dataType: number, precision: 1}
      - {identifier: airHumidity, functionName: Relative humidity, elementUnit: "%", dataType: number, precision: 1}
      - {identifier: rainfall, functionName: Rainfall, elementUnit: mm, dataType: number, precision: 1}
      - {identifier: soilMoisture10, functionName: Soil moisture 10, elementUnit: "%", dataType: number, precision: 1}
      - {identifier: soilMoisture30, functionName: Soil moisture 30, elementUnit: "%", dataType: number, precision: 1}
tenants:
  - name: ${analysisUser.tenantName}
    timeZone: Europe/Istanbul
    language: en-us
    users:
      - {userName: ${analysisUser.userName}, password: "${analysisUser.password}", nickname: Selin}
    scenes: [Slope]
    devices:
      - ${device('TR-0001', 'Upper terrace', 'terrace-mast')}
      - ${device('TR-0002', 'Lower terrace', 'terrace-mast')}
      - ${device('TR-0003', 'Well', 'well')}
`);

/** The identifiers of a terrace's mast. */
export const fiveSigns = ['airTemperature', 'airHumidity', 'rainfall', 'soilMoisture10', 'soilMoisture30'] as const;

/** Weather with seasons: the same for the same minute. */
export function terraceAt(ts: number): Record<(typeof fiveSigns)[number], number> {
  const days = ts / day;
  const round = (value: number) => Math.round(value * 10) / 10;
  const { airTemperature, airHumidity } = weatherAt(ts) as { airTemperature: number; airHumidity: number };
  return {
    airTemperature: round(airTemperature + 3 - 10 * Math.cos((days / 365.25) * 2 * Math.PI)),
    airHumidity,
    rainfall: Math.floor(days) % 6 === 0 && Math.floor(ts / hour) % 4 === 0 ? 1.2 : 0,
    soilMoisture10: round(26 + 6 * Math.sin(days)),
    soilMoisture30: round(28 + 3 * Math.sin(days / 2)),
  };
}

/** Shortly before now, rounded so that a restarted worker computes the same. */
export const end = Math.floor(Date.now() / hour) * hour;
/** The upper mast was silent for so long. */
const silent = { from: end - 9 * day, to: end - 8 * day };

async function send(): Promise<void> {
  await applyAnalysisTenant();
  const frames = framesOf({ from: end - 366 * day, to: end, every: hour }, terraceAt, silent);
  await sendBacklog('TR-0001', frames);
  const lower = framesOf({ from: end - 40 * day, to: end, every: hour }, (ts) => ({
    ...terraceAt(ts),
    airTemperature: terraceAt(ts).airTemperature - 2,
  }));
  await sendBacklog('TR-0002', lower);
  // The well's pump runs from two to five in the morning.
  const well = framesOf({ from: end - 75 * day, to: end, every: hour / 2 }, (ts) => {
    const hours = ((ts + 3 * hour) % day) / hour;
    return { pumpRunning: hours >= 2 && hours < 5 };
  });
  await sendBacklog('TR-0003', well);
  await runRule(analysisUser, 'TR-0001', 'Heat on the slope', {
    conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>', value: 27 }],
  });
  await publish('TR-0001', secretOf('TR-0001'), { airTemperature: 31 });
}

let sending: Promise<void> | undefined;

/** Creates the tenant, a year of hourly readings, a rule and an open notice; only once per worker. */
export function sendTerraces(): Promise<void> {
  sending ??= send();
  return sending;
}

export const slider = (page: Page) => page.getByRole('slider', { name: 'Place in the chart' });

/** Opens the analysis by its address and waits until it is drawn. */
export async function openAnalysis(page: Page, search: string): Promise<void> {
  await openSignedIn(page, analysisUser, `/analysis?${search}`);
  await expectDrawn(page);
}

export async function expectDrawn(page: Page): Promise<void> {
  await expect(page.locator('[data-chart] svg [data-line]').first()).toBeAttached();
  await expect(page.locator('section[aria-busy]')).toHaveCount(0);
}

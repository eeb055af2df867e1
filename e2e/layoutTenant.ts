import { applyYaml } from './server.ts';
import type { TestUser } from './testUsers.ts';

// A farm with everything that is hard to lay out: names as long as they may be, numbers with many digits and
// units with many letters, several depths of one quantity. Names have no Latin letters: what has some on a page
// in the pseudo language is a text that was not translated, or the server's answer.

const password = 'wide-and-narrow-screens';
export const owner: TestUser = { tenantName: 'layout', userName: '主', password };
export const viewer: TestUser = { tenantName: 'layout', userName: '客', password };

/** Where nothing answers. */
export const deadCamera = 'http://127.0.0.1:9';

export const secretOf = (deviceName: string) => `e2e-${deviceName.toLowerCase()}-3b8d50f17ac2e649`;

/** The remark names of the devices. */
export const names = {
  'LA-EAST': 'Климат длинной теплицы, восточный пролёт',
  'LA-WEST': 'Климат длинной теплицы, западный пролёт',
  'LA-ROAD': 'Теплица у дороги, верхний ярус',
  'LA-SOIL': 'Ряд 44 у самой реки',
  'LA-BENCH': '实验台',
  'LA-MAST': 'Мачта на холме',
  'LA-HIGH': 'Верхняя терраса',
  'LA-LOW': 'Нижняя терраса',
  'LA-EYE': '门口',
  'LA-NEW': '新来',
};
type DeviceName = keyof typeof names;
export const longNames: readonly DeviceName[] = ['LA-EAST', 'LA-WEST', 'LA-ROAD'];
export const longScene = 'Позади упаковочного двора';
export const shortScene = 'Северный сад';

const depths = [10, 20, 30, 60];
/** Four depths of two quantities. */
export const soil = depths.flatMap((depth) => [
  {
    yeuSign: `layoutTemperature${depth}`,
    unit: '°C',
    yeuName: {
      'en-us': `Soil temperature (${depth} cm)`,
      'zh-cn': `土壤温度（${depth}厘米）`,
      'tr-tr': `Toprak sıcaklığı (${depth} cm)`,
      'ru-ru': `Температура почвы (${depth} см)`,
    },
  },
  {
    yeuSign: `layoutMoisture${depth}`,
    unit: '%',
    yeuName: {
      'en-us': `Soil moisture (vol., ${depth} cm)`,
      'zh-cn': `土壤体积含水量（${depth}厘米）`,
      'tr-tr': `Toprak nemi (hacim, ${depth} cm)`,
      'ru-ru': `Объёмная влажность почвы (${depth} см)`,
    },
  },
]);

/** Numbers that are long, far below zero, or nearly zero; the last unit has the maximum length. */
export const laboratory = [
  {
    yeuSign: 'illuminance',
    unit: 'lx',
    precision: 0,
    yeuName: { 'en-us': 'Illuminance', 'zh-cn': '光照强度', 'tr-tr': 'Aydınlık şiddeti', 'ru-ru': 'Освещённость' },
  },
  {
    yeuSign: 'waterHead',
    unit: 'm',
    precision: 0,
    yeuName: { 'en-us': 'Water head', 'zh-cn': '水头', 'tr-tr': 'Su yükü', 'ru-ru': 'Напор воды' },
  },
  {
    yeuSign: 'traceGas',
    unit: 'kg CO₂ equivalent per ha and day',
    precision: 6,
    yeuName: {
      'en-us': 'Trace gas flux',
      'zh-cn': '痕量气体通量',
      'tr-tr': 'İz gaz akısı',
      'ru-ru': 'Поток следового газа',
    },
  },
];

const rain = {
  yeuSign: 'rainfall',
  unit: 'mm',
  yeuName: { 'en-us': 'Rainfall', 'zh-cn': '降雨量', 'tr-tr': 'Yağış', 'ru-ru': 'Осадки' },
};
const weatherSigns = [
  { identifier: 'airTemperature', elementUnit: '°C' },
  { identifier: 'airHumidity', elementUnit: '%' },
];

interface Property {
  identifier: string;
  elementUnit: string;
  precision?: number;
}
const numbers = (properties: readonly Property[]) =>
  properties.map((one) => ({ precision: 1, functionName: one.identifier, dataType: 'number', ...one }));

const products = [
  {
    name: 'layout-probe',
    offlineAfter: '4s',
    properties: numbers(soil.map(({ yeuSign, unit }) => ({ identifier: yeuSign, elementUnit: unit }))),
  },
  {
    name: 'layout-bench',
    properties: [
      ...numbers(
        laboratory.map(({ yeuSign, unit, precision }) => ({ identifier: yeuSign, elementUnit: unit, precision })),
      ),
      { identifier: 'weather', functionName: '天气', dataType: 'text' },
    ],
  },
  {
    name: 'layout-terrace',
    properties: numbers([
      ...weatherSigns,
      { identifier: 'rainfall', elementUnit: 'mm' },
      ...[10, 30].map((depth) => ({ identifier: `layoutMoisture${depth}`, elementUnit: '%' })),
    ]),
  },
  { name: 'layout-eye', properties: [{ identifier: 'live', functionName: '视频', dataType: 'text' }] },
];

function device(deviceName: DeviceName, product: string, more: object = {}) {
  return {
    deviceName,
    serial: `号-${deviceName}`,
    noteName: names[deviceName],
    product,
    secret: secretOf(deviceName),
    ...more,
  };
}

/** Creates the farm with its devices; applying it again changes nothing. */
export const applyLayoutTenant = (): Promise<void> =>
  applyYaml(
    JSON.stringify({
      elements: [...soil, ...laboratory.map(({ precision: _, ...element }) => element), rain],
      products,
      tenants: [
        {
          name: owner.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          selfService: { devices: 50, products: ['weather-mast'], claims: true },
          users: [
            {
              userName: owner.userName,
              password,
              nickname: '丙',
              email: 'a-rather-long-address@layout.example',
              mobile: '+905559100001',
            },
            { userName: viewer.userName, password, nickname: 'Соседка с длинным именем', role: 'viewer' },
          ],
          scenes: [longScene, shortScene],
          devices: [
            ...longNames.map((name) => device(name, 'greenhouse-climate', { scene: longScene })),
            device('LA-SOIL', 'layout-probe', { scene: shortScene }),
            device('LA-BENCH', 'layout-bench'),
            device('LA-MAST', 'weather-mast', { scene: shortScene, longitude: 27.3, latitude: 37.8 }),
            device('LA-HIGH', 'layout-terrace', { scene: shortScene, longitude: 27.34, latitude: 37.85 }),
            device('LA-LOW', 'layout-terrace', { scene: shortScene, longitude: 27.35, latitude: 37.84 }),
            device('LA-EYE', 'layout-eye', { elementData: { live: `${deadCamera}/eye.m3u8` } }),
            device('LA-NEW', 'weather-mast'),
          ],
        },
      ],
    }),
  );

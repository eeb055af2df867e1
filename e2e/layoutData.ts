import { publish } from './device.ts';
import { framesOf } from './historyTenant.ts';
import { applyLayoutTenant, owner, secretOf, soil } from './layoutTenant.ts';
import { createRule, runRule } from './rule.ts';
import { addresses } from './server.ts';
import { fetchApiData } from './testUsers.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const client = '/admin-api/client/pc';
const call = (method: string, path: string, body?: object) => fetchApiData(owner, method, `${client}/${path}`, body);

/** What the visits need to know of the farm. */
export interface Farm {
  /** Open notices: of long numbers, of a frost that somebody is on, of dry soil. */
  notices: { numbers: number; acknowledged: number; soil: number; solved: number };
  /** Rules: of one device, of many. */
  rules: { one: number; many: number };
  channels: { used: number; unused: number };
  /** The parameter of an invitation's address. */
  invitation: string;
  message: number;
  /** The numbers of home, the owner's account and the console's settings, as the server answers them. */
  overview: object;
  user: object;
  settings: object;
}

async function send(deviceName: string, payload: unknown): Promise<void> {
  const answer = await fetch(`${addresses().console}/api/v1/${secretOf(deviceName)}/telemetry`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(payload),
  });
  if (!answer.ok) throw new Error(`readings of ${deviceName}: ${answer.status} ${await answer.text()}`);
}

const round = (value: number) => Math.round(value * 10) / 10;
/** Weather with seasons: the same for the same minute. */
const weatherAt = (ts: number) => ({
  airTemperature: round(15 - 10 * Math.cos((ts / day / 365.25) * 2 * Math.PI) + 8 * Math.sin((ts / day) * 2 * Math.PI)),
  airHumidity: round(60 - 25 * Math.sin((ts / day) * 2 * Math.PI)),
  rainfall: Math.floor(ts / day) % 6 === 0 && Math.floor(ts / hour) % 4 === 0 ? 1.2 : 0,
  layoutMoisture10: round(26 + 6 * Math.sin(ts / day)),
  layoutMoisture30: round(28 + 3 * Math.sin(ts / day / 2)),
});
const laboratoryAt = (ts: number) => ({
  illuminance: Math.round(60_000 + 60_000 * Math.sin(ts / hour / 4)),
  waterHead: Math.round(-25_000 - 25_000 * Math.sin(ts / hour / 5)),
  // Both the hours before a notice and a longer history have a tick at 0.00015.
  traceGas: 0.000107 + 0.000043 * Math.sin(ts / hour / 3),
});

async function sendHistories(): Promise<void> {
  const end = Math.floor(Date.now() / (5 * minute)) * 5 * minute;
  const every = (from: number, to: number, step: number, at: (ts: number) => object) =>
    framesOf({ from: end - from, to: end - to, every: step }, at);
  await send('LA-BENCH', every(7 * day, 30 * minute, 10 * minute, laboratoryAt));
  // The last 30 days and those of the year before.
  await send('LA-HIGH', [
    ...every(396 * day, 365 * day, 6 * hour, weatherAt),
    ...every(40 * day, 9 * day, hour, weatherAt),
    ...every(8 * day, hour, hour, weatherAt),
  ]);
  await send(
    'LA-LOW',
    every(40 * day, 0, 3 * hour, (ts) => ({ ...weatherAt(ts), airTemperature: weatherAt(ts).airTemperature - 2 })),
  );
  // Nights that swing around a limit.
  const swings = [4, 9].flatMap((ago) =>
    [8, 1.7, 2.3, 1.7, 2.3, 1.7, 2.3, 8].map((airTemperature, i) => ({
      ts: end - ago * day + i * 10 * minute,
      values: { airTemperature, airHumidity: 90 },
    })),
  );
  await send('LA-MAST', swings);
}

const below = (tslAttribute: string, value: number) => ({ andor: 'and', tslAttribute, subconditions: '<', value });
const above = (tslAttribute: string, value: number) => ({ andor: 'and', tslAttribute, subconditions: '>', value });

async function noticeOf(title: string): Promise<number> {
  for (;;) {
    const { list } = await call(
      'GET',
      `alarm-notice/page?${new URLSearchParams({ title, pageNo: '1', pageSize: '10' })}`,
    );
    if (list[0]) return list[0].id;
    await new Promise((later) => setTimeout(later, 50));
  }
}

async function createChannels(): Promise<Farm['channels']> {
  const create = (noticeName: string) =>
    call('POST', 'notice-channel/create', {
      noticeName,
      noticeMode: ['email', 'phoneMessage'],
      email: { emails: ['a-rather-long-address@layout.example', 'second@layout.example'] },
      phoneMessage: ['+905550008801'],
      others: [{ mode: 'telegram', recipients: ['-1009876543210', '@a_rather_long_name_of_a_channel'] }],
    });
  return { used: await create('Ночная смена у теплиц'), unused: await create('渠二') };
}

async function raiseNotices(channel: number): Promise<Pick<Farm, 'notices' | 'rules'>> {
  await runRule(owner, 'LA-BENCH', 'Длинные числа', {
    alarmDesc: '看',
    conditions: [
      above('illuminance', 100_000),
      below('waterHead', -40_000),
      above('traceGas', 0.0001),
      { andor: 'and', tslAttribute: 'weather', subconditions: '=', value: 'гроза с градом' },
    ],
  });
  await send('LA-BENCH', { illuminance: 120_000, waterHead: -50_000, traceGas: 0.00015, weather: 'гроза с градом' });
  await runRule(owner, 'LA-EAST', 'Заморозок позади двора', { alarmDesc: '去', passageway: [channel] });
  await send('LA-EAST', { airTemperature: 1, heating: true });
  await runRule(owner, 'LA-SOIL', 'Сухая почва в ряду', {
    alarmLevel: 1,
    alarmDesc: '',
    conditions: [below('layoutMoisture30', 18)],
  });
  await publish('LA-SOIL', secretOf('LA-SOIL'), Object.fromEntries(soil.map(({ yeuSign }) => [yeuSign, 17.9])));
  const one = await createRule(owner, 'LA-MAST', '霜一', { alarmDesc: '去', passageway: [channel], remindEvery: 30 });
  await call('GET', `alarm-rules/publish?alarmRulesId=${one}`);
  for (const airTemperature of [1, 6, 1, 6, 1, 6]) await send('LA-MAST', { airTemperature, airHumidity: 90 });
  await runRule(owner, 'LA-HIGH', 'Жара на террасе', { alarmDesc: '', conditions: [above('airTemperature', 27)] });
  await send('LA-HIGH', { ...weatherAt(Date.now()), airTemperature: 31 });
  const { list: scenes } = await call('GET', 'group/page?pageNo=1&pageSize=10');
  const groups = scenes.map(({ id }: { id: number }) => id);
  const many = await createRule(owner, '', 'Влажные листья во всех теплицах и на мачтах', {
    targets: { groups },
    alarmLevel: 1,
    manualRelease: 0,
    conditions: [above('airHumidity', 99)],
  });
  await call('GET', `alarm-rules/publish?alarmRulesId=${many}`);
  const muted = await createRule(owner, 'LA-MAST', '静', { conditions: [below('airTemperature', -30)] });
  await call('GET', `alarm-rules/publish?alarmRulesId=${muted}`);
  await call('PUT', 'alarm-rules/mute', { id: muted, until: Date.now() + 3 * day });
  await createRule(owner, 'LA-ROAD', '停');
  const [numbers, acknowledged, dry, solved] = [
    await noticeOf('Длинные числа'),
    await noticeOf('Заморозок позади двора'),
    await noticeOf('Сухая почва в ряду'),
    await noticeOf('霜一'),
  ];
  await call('PUT', 'alarm-notice/acknowledge', { id: acknowledged, note: 'Грею' });
  return { notices: { numbers, acknowledged, soil: dry, solved }, rules: { one, many } };
}

/** A device that was calibrated and swapped, one whose first messages were refused, and one that may be removed. */
async function changeDevices(): Promise<void> {
  for (const [ago, offset] of [
    [20, 0.5],
    [3, -0.5],
  ] as const) {
    await call('POST', 'device/calibration/create', {
      deviceName: 'LA-LOW',
      yeuSign: 'airTemperature',
      fromTime: Date.now() - ago * day,
      kind: 'offset',
      offset,
      note: '冰水',
    });
  }
  await call('POST', 'device/swap', {
    deviceName: 'LA-WEST',
    serial: '号-九',
    note: 'попал под трактор',
    short: false,
  });
  const refused = async (secret: string, payload: object) => publish('LA-NEW', secret, payload).catch(() => undefined);
  await refused('not-the-secret-of-this-device', { airTemperature: 21.4 });
  await refused(secretOf('LA-NEW'), { temp: 21.4 });
  await publish('LA-MAST', secretOf('LA-MAST'), { airTemperature: 6, airHumidity: 900 }).catch(() => undefined);
  const { products } = await call('GET', 'device/offer');
  await call('POST', 'device/create', { noteName: '可删的桅杆', productId: products[0].productId, short: false });
}

async function fillProfile(): Promise<string> {
  const name = 'Имя настолько длинное, насколько бывают имена у ключей программ';
  await call('POST', 'apicredentials/create', { name, expiryTime: Date.now() + day });
  await call('POST', 'apicredentials/create', { name: '钥', role: 'viewer', scopes: ['read'] });
  await call('POST', 'webhook/create', {
    name: 'Вентиляторы против заморозков',
    url: `${addresses().console}/a-rather-long-address-that-answers-that-it-is-not-there`,
    events: ['opened', 'resolved', 'acknowledged'],
    alarmLevel: 0,
    enabled: true,
  });
  await call('POST', 'analysis-view/create', { name: 'Корни на террасах', query: 'devices=LA-HIGH&range=week' });
  const nickname = 'Кто-то с довольно длинным именем для маленького экрана';
  const { link } = await call('POST', 'people/invite', { role: 'viewer', nickname, sendMail: false });
  return new URL(link, addresses().console).hash;
}

async function make(): Promise<Farm> {
  await applyLayoutTenant();
  await sendHistories();
  const channels = await createChannels();
  const invitation = await fillProfile();
  const raised = await raiseNotices(channels.used);
  await changeDevices();
  const { list } = await call('GET', 'notify-message/my-page?pageNo=1&pageSize=10');
  const overview = await call('GET', 'home/overview-statistics');
  const user = await fetchApiData(owner, 'GET', '/app-api/member/user/get');
  const settings = await fetchApiData(owner, 'GET', '/admin-api/system/console/settings');
  return { ...raised, channels, invitation, message: list[0].id, overview, user, settings };
}

let making: Promise<Farm> | undefined;

/** Creates the farm with its readings, rules and notices; only once per worker. */
export function makeFarm(): Promise<Farm> {
  making ??= make();
  return making;
}

import type { components } from '@/api/schema.gen';
import type { Entry, Person } from '@/features/activity/queries';
import type { Ack } from '@/lib/alarm/notices';
import type { AlarmRule, Rehearsal } from '@/lib/alarm/types';
import type { Channel } from '@/lib/channel/queries';
import type { TslProperty } from '@/lib/device/types';
import type { Message } from '@/lib/message/queries';

type Schemas = components['schemas'];
export type Notice = Schemas['AlarmNotice'];
export type Detail = Schemas['AlarmDetail'];

// Sample objects as the server sends them, for tests with and without a page.

const property = (identifier: string, yeuName: string, change: Partial<TslProperty> = {}): TslProperty => ({
  identifier,
  functionName: identifier,
  yeuName,
  yeuUrl: '',
  elementUnit: '',
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  ...change,
});

export const mastModel = [
  property('airTemperature', 'Air temperature', { elementUnit: '°C', precision: 1 }),
  property('airHumidity', 'Humidity', { elementUnit: '%', precision: 0 }),
  property('heating', 'Heating', { dataType: 'boolean' }),
  property('wetness', 'Leaf wetness', { dataType: 'text' }),
];

export function rule(change: Partial<AlarmRule> = {}): AlarmRule {
  return {
    id: 1,
    alarmName: 'Spring frost',
    dataSource: 1,
    executionId: 'WS-1',
    targets: { devices: ['WS-1'], groups: [], products: [] },
    deviceCount: 1,
    openCount: 0,
    noteName: 'Orchard mast',
    triggerType: 0,
    conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: 2 }],
    complexTime: 0,
    hitCounts: 3,
    durations: 600_000,
    alarmLevel: 2,
    passageway: [],
    startTime: '00:00',
    endTime: '24:00',
    manualRelease: 1,
    alarmDesc: '',
    timePeriods: [],
    weekdays: [],
    deployState: 1,
    deployTime: Date.now() - 3_600_000,
    deployUser: 'Elif Kaya',
    noticeCount: 0,
    createTime: 0,
    updateTime: 0,
    ...change,
  };
}

const dayMs = 24 * 3_600_000;

export function rehearsal(change: Partial<Rehearsal> = {}): Rehearsal {
  const endTime = Date.now();
  const startTime = endTime - 30 * dayMs;
  const days = Array.from({ length: 30 }, (_, i) => ({ day: startTime + i * dayMs, min: i % 10, max: 10 + (i % 10) }));
  const at = (day: number, hours: number) => startTime + day * dayMs + hours * 3_600_000;
  return {
    startTime,
    endTime,
    samples: 43_000,
    total: 2,
    notices: [
      { startTime: at(10, 4), endTime: at(10, 4) + 3 * 3_600_000 + 12 * 60_000, night: true, told: true },
      { startTime: at(20, 8), endTime: at(20, 8) + 22 * 60_000, night: false, told: false },
    ],
    tslAttribute: 'airTemperature',
    days,
    usualInterval: 60_000,
    fits: true,
    ...change,
  };
}

const minute = 60_000;

export function message(id: number, change: Partial<Message> & { title?: string } = {}): Message {
  const { title = `Alarm ${id}`, ...rest } = change;
  return {
    id,
    templateContent: `${title}\nAir temperature is 1.8 °C.\nDevice: Orchard mast.`,
    readStatus: false,
    createTime: Date.now() - 3 * minute,
    noticeId: 100 + id,
    ruleId: 1000 + id,
    event: 'triggered',
    alarmLevel: 2,
    triggerType: 0,
    ...rest,
  };
}

export function channel(change: Partial<Channel> = {}): Channel {
  return {
    id: 1,
    noticeName: 'Night crew',
    noticeMode: ['email', 'phoneMessage'],
    email: { emails: ['elif@valley.example', 'mehmet@valley.example'] },
    phoneMessage: ['+905321144107'],
    createTime: new Date('2026-03-12T09:00:00').getTime(),
    ruleCount: 0,
    ruleNames: [],
    ...change,
  };
}

export const elif: Person = { who: 'user:7', by: 'user', name: 'Elif Kaya' };
export const provider: Person = { who: 'provider', by: 'provider', name: '' };

export const entry = (change: Partial<Entry> = {}): Entry => ({
  id: 1,
  time: new Date('2026-11-19T14:05:00').getTime(),
  ...elif,
  address: '198.51.100.7',
  request: '0123456789abcdef',
  kind: 'device',
  action: 'update',
  thingId: 3,
  thing: 'Mast',
  changes: [{ field: 'noteName', before: 'Mast', after: 'Pump 3' }],
  ...change,
});

export function notice(change: Partial<Notice> = {}): Notice {
  const startTime = change.startTime ?? Date.now() - 22 * minute;
  return {
    id: 1,
    ruleId: 11,
    title: 'Spring frost',
    resolveStatus: 0,
    alarmLevel: 2,
    deviceName: 'WS-1',
    noteName: 'Orchard mast',
    startTime,
    createTime: startTime,
    ...change,
  };
}

export function ack(change: Partial<Ack> = {}): Ack {
  const now = Date.now();
  return { user: 'Ada', time: now - 5 * minute, note: '', remindAt: now + 235 * minute, ...change };
}

/** The detail of a listed notice, of a rule on temperatures below 2 °C unless given otherwise. */
export function detailOf(
  one: Notice,
  {
    notice: about,
    rule,
    device: its,
    ...rest
  }: {
    notice?: Partial<Detail['alarmNotice']>;
    rule?: Partial<Detail['alarmRules']>;
    device?: Partial<Detail['alarmDeviceInfoRespDTO']>;
  } & Partial<Pick<Detail, 'samples' | 'deliveries' | 'kept'>> = {},
): Detail {
  const { deviceName, noteName, ...shared } = one;
  return {
    alarmNotice: {
      ...shared,
      alarmDesc: 'Light the heaters.',
      durationTime: (one.endTime ?? Date.now()) - one.startTime,
      mayResolve: one.resolveStatus === 0,
      ...(one.resolveStatus === 1 ? { resolveReason: 'recovered' as const } : {}),
      ...about,
    },
    alarmRules: {
      triggerType: 0,
      conditions: [
        {
          andor: 'and',
          tslAttribute: 'airTemperature',
          yeuName: 'Air temperature',
          elementUnit: '°C',
          precision: 1,
          subconditions: '<',
          value: 2,
        },
      ],
      hitCounts: 2,
      durations: 5 * minute,
      ...rule,
    },
    alarmDeviceInfoRespDTO: {
      deviceName,
      noteName,
      productName: 'Weather mast',
      mainSign: 'airTemperature',
      onlineState: 1,
      deleted: false,
      ...its,
    },
    samples: [{ time: one.startTime, values: { airTemperature: 1.8 } }],
    deliveries: [],
    ...rest,
  };
}

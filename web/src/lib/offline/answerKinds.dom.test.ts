import { describe, expect, it } from 'vitest';
import { deviceKeys } from '../device/queries';
import { consoleSettingsQuery, overviewQuery, tenantQuery, unreadCountQuery, userQuery } from '../http/queries';
import { messagesQuery } from '../message/queries';
import { type AnswerInfo, answerKindOf, isTooOld, storedPart, surplusHashes } from './answerKinds';

const day = 24 * 3_600_000;
const now = 1_800_000_000_000;

describe('the kind of an answer', () => {
  it.each([
    [overviewQuery().queryKey, 'overview'],
    [deviceKeys.groups('tr-tr'), 'groups'],
    [deviceKeys.page('tr-tr', { groupId: 3 }, 2), 'page'],
    [deviceKeys.named('tr-tr', ['A', 'B']), 'page'],
    [deviceKeys.device('tr-tr', 'A'), 'device'],
    [deviceKeys.latest('tr-tr', 'A'), 'latest'],
    [deviceKeys.tsl('tr-tr', 'A'), 'tsl'],
    [deviceKeys.model('tr-tr', 1), 'model'],
    [deviceKeys.day('A', 'airTemperature', 100), 'day'],
    [deviceKeys.map(null), 'map'],
    [['alarm-notices', 'page', { pageNo: 1 }], 'notices'],
    [['alarm-notices', 'notice', 7, 'tr-tr'], 'notice'],
    [['alarm-notices', 'properties', 'A', 'tr-tr'], 'properties'],
    [['alarm-notices', 'chart', { deviceName: 'A' }], 'chart'],
    [messagesQuery('tr-tr', 1, 5).queryKey, 'messages'],
    [unreadCountQuery().queryKey, 'unread'],
    [userQuery().queryKey, 'user'],
    [consoleSettingsQuery().queryKey, 'settings'],
    [tenantQuery().queryKey, 'tenant'],
  ])('is %j', (key, kind) => {
    expect(answerKindOf(key)).toBe(kind);
  });

  it.each([
    [deviceKeys.map({ west: 1, south: 1, east: 2, north: 2, zoom: 9 })],
    [['video', 'CAM-1']],
    [['video', 'CAM-1', 'foresight']],
    [['history', 'sample', 'A', 1, 2, null, ['x']]],
    [['alarm-notices', 'advice', 7]],
    [['alarm-notices', 'open', 'A']],
    [['credentials']],
    [['map', 'land', true]],
    [[]],
  ])('is not %j', (key) => {
    expect(answerKindOf(key)).toBeNull();
  });
});

describe('what is stored', () => {
  it('of a notice is everything but its deliveries, and nothing of one that does not exist', () => {
    const detail = {
      alarmNotice: { alarmDesc: 'Open the lower valve' },
      deliveries: [{ recipient: 'ada@farm.example' }],
    };
    expect(storedPart('notice', detail)).toEqual({ alarmNotice: detail.alarmNotice });
    expect(storedPart('notice', null)).toBeUndefined();
  });

  it('of a chart is all of it, or nothing of more than 5,000 points', () => {
    const points = (count: number) => Array.from({ length: count }, (_, time) => ({ time, value: 1 }));
    const chart = { airTemperature: points(4_000), airHumidity: points(1_000) };
    expect(storedPart('chart', chart)).toBe(chart);
    expect(storedPart('chart', { ...chart, heating: points(1) })).toBeUndefined();
  });

  it('of another kind is the answer itself', () => {
    expect(storedPart('unread', 3)).toBe(3);
  });
});

describe('a surplus answer', () => {
  const entry = (kind: AnswerInfo['kind'], age: number): AnswerInfo => ({ kind, updatedAt: now - age });

  it('is older than seven days, or from a clock that ran ahead of them', () => {
    expect(isTooOld(now - 7 * day, now)).toBe(false);
    expect(isTooOld(now - 7 * day - 1, now)).toBe(true);
    expect(isTooOld(now + 8 * day, now)).toBe(true);
    expect(surplusHashes({ a: entry('user', 8 * day), b: entry('tenant', day) }, now)).toEqual(['a']);
  });

  it('is the oldest of a kind beyond its number', () => {
    const pages = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`p${i}`, entry('page', i * 1000)]));
    expect(surplusHashes({ ...pages, o: entry('overview', 20_000) }, now)).toEqual(['p12', 'p13']);
    const notices = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n${i}`, entry('notice', i * 1000)]));
    expect(surplusHashes(notices, now)).toEqual(['n20']);
  });
});

import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { streamEvent } from '@/test/alarmServer';
import { drawnLines } from '@/test/drawnChart';
import { askedOf, noticePart, noticeRegion, noticeServer, openNotice, openNotices, paths } from '@/test/noticeServer';
import { type Detail, detailOf, notice } from '@/test/samples';

vi.mock('@/ui/chart/Chart', () => import('@/test/drawnChart'));

const minute = 60_000;
const fact = (name: string) => noticeRegion().getByText(name).closest('div')?.querySelector('dd');

describe('an open notice', () => {
  it('shows its title, since when it is open, and the current value', async () => {
    const startTime = Math.floor(Date.now() / 1000) * 1000 - 22 * minute;
    await openNotice(notice({ startTime }));
    expect(noticeRegion().getByText('Pending')).toBeVisible();
    expect(noticeRegion().getByText('Serious')).toBeVisible();
    expect(noticeRegion().getByText('Light the heaters.')).toBeVisible();
    expect(fact('Start time')).toHaveTextContent(/\d\d:\d\d:\d\d$/);
    expect(fact('End time')).toHaveTextContent('Still open');
    expect(fact('Duration')).toHaveTextContent(/^22 min \d+ s$/);
    expect(fact('Reading now')).toHaveTextContent(/^1\.2\s°C \d+ s$/);
  });

  it('has the difference of its shown times as duration', async () => {
    const startTime = Math.floor(Date.now() / 1000) * 1000 - 22 * minute + 900;
    const endTime = startTime + 13 * minute + 37_200;
    await openNotice(notice({ startTime, endTime, resolveStatus: 1 }));
    const [begin = '', end = ''] = ['Start time', 'End time'].map((name) => fact(name)?.textContent ?? '');
    const seconds = (clock: string) => Number(clock.slice(-5, -3)) * 60 + Number(clock.slice(-2));
    expect((seconds(end) - seconds(begin) + 3600) % 3600).toBe(13 * 60 + 38);
    expect(fact('Duration')).toHaveTextContent('13 min 38 s');
  });

  it('counts its duration every second', async () => {
    await openNotice(notice({ startTime: Math.floor(Date.now() / 1000) * 1000 - 22 * minute }));
    const before = fact('Duration')?.textContent;
    await waitFor(() => expect(fact('Duration')?.textContent).not.toBe(before), { timeout: 3000 });
    expect(fact('Duration')).toHaveTextContent(/^22 min \d+ s$/);
  });

  it('follows the stream: the reading, the line, the device', async () => {
    const { server } = await openNotice();
    const time = Date.now();
    streamEvent(server as never, 'reading', { deviceName: 'WS-1', time, values: { airTemperature: 0.4 } });
    await waitFor(() => expect(fact('Reading now')).toHaveTextContent(/^0\.4\s°C/));
    await waitFor(() => expect(drawnLines()[0]?.at(-1)).toEqual([time, 0.4]));
    streamEvent(server as never, 'reading', { deviceName: 'WS-2', time: time + 1, values: { airTemperature: 9 } });
    streamEvent(server as never, 'presence', { deviceName: 'WS-1', onlineState: 0, time: time + 2 });
    expect(await noticePart('Device').findByText('Offline')).toBeVisible();
    expect(fact('Reading now')).toHaveTextContent(/^0\.4\s°C/);
  });

  it('names each reading if the rule has several attributes', async () => {
    const conditions: Detail['alarmRules']['conditions'] = [
      ...detailOf(notice()).alarmRules.conditions,
      {
        andor: 'or',
        tslAttribute: 'airHumidity',
        yeuName: 'Humidity',
        elementUnit: '%',
        subconditions: '>=',
        value: 85,
        recovery: 80,
      },
    ];
    await openNotice(notice(), { rule: { conditions } });
    expect(fact('Reading now')).toHaveTextContent(/^Air temperature1\.2\s°C \d+ sHumidityNo reading$/);
    expect(noticePart('Conditions').getByText(/^Humidity: Clears at 80/)).toBeVisible();
    // One plot per unit.
    expect(drawnLines()).toHaveLength(2);
  });
});

describe('the rule at the time of the notice', () => {
  it('reads as a sentence', async () => {
    await openNotice();
    const words = noticePart('Conditions').getByText('Air temperature').closest('p');
    expect(words).toHaveTextContent(/^Air temperature below 2\s°C$/);
    expect(noticePart('Conditions').getByText(/^2 readings within 5\smin\. The rule as it was at /)).toBeVisible();
  });

  it.each([
    ['zh-cn', '告警通知', '空气温度低于2 °C', /^5分钟内2个读数。规则为.*时的内容。$/, /^22分\d+秒$/],
    [
      'tr-tr',
      'Alarmlar',
      'Hava 2 °C değerinin altında',
      /^5 dk içinde 2 ölçüm\. Kuralın .* itibarıyla hâli\.$/,
      /^22 dk \d+ sn$/,
    ],
    ['ru-ru', 'Тревоги', 'Воздух меньше 2 °C', /^2 показания за 5 мин\. Правило по состоянию на /, /^22 мин \d+ с$/],
  ] as const)('in %s', async (code, title, sentence, small, duration) => {
    await useLanguage.getState().setLanguage(code);
    const names = { 'zh-cn': '空气温度', 'tr-tr': 'Hava', 'ru-ru': 'Воздух' };
    const one = notice({ startTime: Math.floor(Date.now() / 1000) * 1000 - 22 * minute });
    const server = noticeServer([one]);
    const [condition] = detailOf(one).alarmRules.conditions;
    if (condition)
      server.details.set(1, detailOf(one, { rule: { conditions: [{ ...condition, yeuName: names[code] }] } }));
    await openNotices(server, '/inform', title);
    const main = screen.getByRole('main');
    expect(main).not.toHaveTextContent(/inform\.|rule\.|\{\{/);
    const texts = [...main.querySelectorAll('p, dd')].map((element) => element.textContent?.replaceAll('\u00a0', ' '));
    expect(texts).toContain(sentence);
    expect(texts).toContainEqual(expect.stringMatching(small));
    expect(texts).toContainEqual(expect.stringMatching(duration));
  });
});

describe('an ended notice', () => {
  it.each([
    ['recovered', 'A reading was back within the limits.'],
    ['online', 'The device was back.'],
    ['changed', 'The rule was changed, which ends its open notice.'],
    ['stopped', 'The rule was stopped, which ends its open notice.'],
    ['deleted', 'The rule was deleted, which ends its open notice.'],
    ['left', 'The device no longer belongs to this rule, which ends its open notice.'],
  ] as const)('says why it ended: %s', async (resolveReason, words) => {
    const startTime = Date.now() - 65 * minute;
    await openNotice(notice({ startTime, endTime: startTime + 61 * minute + 5000, resolveStatus: 1 }), {
      notice: { resolveReason },
    });
    expect(noticePart('How it ended').getByText(words)).toBeVisible();
    expect(fact('Duration')).toHaveTextContent('1 h 1 min 5 s');
    expect(noticeRegion().queryByRole('button', { name: 'Mark as solved' })).toBeNull();
  });

  it.each([
    [
      'Zed queue',
      'The device no longer has the attribute “Zed queue”, or has it in another kind: the rule was stopped, which ends its open notice.',
    ],
    [
      undefined,
      'The device no longer has an attribute of the rule, or has it in another kind: the rule was stopped, which ends its open notice.',
    ],
  ])('says that its device has lost %s', async (resolveAttribute, words) => {
    await openNotice(notice({ endTime: Date.now(), resolveStatus: 1 }), {
      notice: { resolveReason: 'attributeGone', ...(resolveAttribute ? { resolveAttribute } : {}) },
    });
    expect(noticePart('How it ended').getByText(words)).toBeVisible();
  });

  it('says that its device no longer exists, and requests nothing of the device', async () => {
    const kept = { airTemperature: [{ time: Date.now() - 21 * minute, value: 1.5 }] };
    const { server } = await openNotice(notice({ resolveStatus: 1, endTime: Date.now() - 10 * minute }), {
      device: { deleted: true, onlineState: 0 },
      kept,
    });
    expect(noticePart('Device').getByText('This device no longer exists')).toBeVisible();
    expect(noticePart('Device').queryByText('Offline')).toBeNull();
    expect(drawnLines()[0]).toHaveLength(1);
    expect(askedOf(server, paths.readings)).toEqual([]);
    expect(askedOf(server, paths.properties)).toEqual([]);
  });
});

describe('an unsteady notice', () => {
  const unsteady = (change: Parameters<typeof notice>[0] = {}) => notice({ unsteady: true, changes: 1234, ...change });
  const unsteadyNote = () => noticeRegion().getByText('The readings kept crossing', { exact: false });

  it('says why it stays open, how often its condition changed, and what would help', async () => {
    const { server } = await openNotice(unsteady(), {}, (one) => {
      one.advice = { tslAttribute: 'airTemperature', recovery: 3.5, notices: 1, without: 13 };
    });
    expect(noticeRegion().getAllByText('Unsteady')).toHaveLength(2);
    await waitFor(() =>
      expect(unsteadyNote()).toHaveTextContent(
        /^The readings kept crossing the limit: .+ This one stays open until .+ changed at least 1,234 times .+ With a recovery value of 3\.5\s°C for Air temperature, there would have been 1 notice in the hour before, instead of 13\. .+ shows how much\.$/,
      ),
    );
    expect(askedOf(server, paths.advice).map(({ id }) => id)).toEqual(['1']);
  });

  it('does not say that it stays open once it has ended, and has advice without figures if none is known', async () => {
    await openNotice(unsteady({ resolveStatus: 1, endTime: Date.now(), changes: 0 }));
    expect(unsteadyNote()).toHaveTextContent(
      /^The readings kept crossing the limit: \D+\. A recovery value in the rule .+\.$/,
    );
    expect(unsteadyNote()).not.toHaveTextContent('stays open');
  });

  it('of a device that keeps going offline mentions its connection', async () => {
    const { server } = await openNotice(unsteady(), { rule: { triggerType: 1, conditions: [] } });
    expect(noticeRegion().getByText('The device kept losing its connection', { exact: false })).toHaveTextContent(
      /online for ten minutes\..+A longer time in the rule/,
    );
    expect(askedOf(server, paths.advice)).toEqual([]);
  });
});

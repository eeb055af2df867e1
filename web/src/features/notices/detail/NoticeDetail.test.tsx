import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { streamEvent } from '@/test/alarmServer';
import { setWidth } from '@/test/mediaQueries';
import { askedOf, noticeRegion, noticeServer, openNotices, paths } from '@/test/noticeServer';
import { type Detail, detailOf, notice } from '@/test/samples';
import { noAnswer } from '@/test/telemetryServer';
import type { ChartOption } from '@/ui/chart/engine';

const drawn = vi.hoisted(() => ({ option: undefined as unknown }));
// jsdom has no canvas, so the tests look at the chart's option.
vi.mock('@/ui/chart/Chart', () => ({
  Chart: ({ option }: { option: unknown }) => {
    drawn.option = option;
    return null;
  },
}));

const minute = 60_000;
const lines = () => (drawn.option as { series: { data: [number, number][] }[] }).series.map(({ data }) => data);
const axis = () => (drawn.option as ChartOption & { xAxis: { min: number; max: number }[] }).xAxis[0];
const fact = (name: string) => noticeRegion().getByText(name).closest('div')?.querySelector('dd');
const part = (name: string) =>
  within(noticeRegion().getByRole('heading', { level: 3, name }).parentElement as HTMLElement);

function condition() {
  const [first] = detailOf(notice()).alarmRules.conditions;
  if (!first) throw new Error('no condition');
  return first;
}

/** Opens a given notice. */
async function open(one = notice(), change: Parameters<typeof detailOf>[1] = {}, before?: (server: Server) => void) {
  const server = noticeServer([one]);
  server.details.set(one.id, detailOf(one, change));
  before?.(server);
  return { server, one, ...(await openNotices(server)) };
}
type Server = ReturnType<typeof noticeServer>;

describe('an open notice', () => {
  it('shows its title, since when it is open, and the current value', async () => {
    const startTime = Math.floor(Date.now() / 1000) * 1000 - 22 * minute;
    await open(notice({ startTime }));
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
    await open(notice({ startTime, endTime, resolveStatus: 1 }));
    const [begin = '', end = ''] = ['Start time', 'End time'].map((name) => fact(name)?.textContent ?? '');
    const seconds = (clock: string) => Number(clock.slice(-5, -3)) * 60 + Number(clock.slice(-2));
    expect((seconds(end) - seconds(begin) + 3600) % 3600).toBe(13 * 60 + 38);
    expect(fact('Duration')).toHaveTextContent('13 min 38 s');
  });

  it('counts its duration every second', async () => {
    await open(notice({ startTime: Math.floor(Date.now() / 1000) * 1000 - 22 * minute }));
    const before = fact('Duration')?.textContent;
    await waitFor(() => expect(fact('Duration')?.textContent).not.toBe(before), { timeout: 3000 });
    expect(fact('Duration')).toHaveTextContent(/^22 min \d+ s$/);
  });

  it('follows the stream: the reading, the line, the device', async () => {
    const { server } = await open();
    const time = Date.now();
    streamEvent(server as never, 'reading', { deviceName: 'WS-1', time, values: { airTemperature: 0.4 } });
    await waitFor(() => expect(fact('Reading now')).toHaveTextContent(/^0\.4\s°C/));
    await waitFor(() => expect(lines()[0]?.at(-1)).toEqual([time, 0.4]));
    streamEvent(server as never, 'reading', { deviceName: 'WS-2', time: time + 1, values: { airTemperature: 9 } });
    streamEvent(server as never, 'presence', { deviceName: 'WS-1', onlineState: 0, time: time + 2 });
    expect(await part('Device').findByText('Offline')).toBeVisible();
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
    await open(notice(), { rule: { conditions } });
    expect(fact('Reading now')).toHaveTextContent(/^Air temperature1\.2\s°C \d+ sHumidityNo reading$/);
    expect(part('Conditions').getByText(/^Humidity: Clears at 80/)).toBeVisible();
    // One plot per unit.
    expect(lines()).toHaveLength(2);
  });
});

describe('the rule at the time of the notice', () => {
  it('reads as a sentence', async () => {
    await open();
    const words = part('Conditions').getByText('Air temperature').closest('p');
    expect(words).toHaveTextContent(/^Air temperature below 2\s°C$/);
    expect(part('Conditions').getByText(/^2 readings within 5\smin\. The rule as it was at /)).toBeVisible();
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
    ['ru-ru', 'Тревоги', 'Воздух меньше 2 °C', /^2 показания за 5 мин\. Правило, каким оно было в /, /^22 мин \d+ с$/],
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

describe('the chart', () => {
  it('spans five minutes before to five minutes after', async () => {
    const startTime = Date.now() - 40 * minute;
    const one = notice({ startTime, endTime: startTime + 20 * minute, resolveStatus: 1 });
    const { server } = await open(one, {}, (before) => {
      before.rows = Array.from({ length: 300 }, (_, i) => ({
        collect_time: startTime - 15 * minute + i * 10_000,
        airTemperature: 2 + (i % 11) / 10,
      }));
    });
    expect(axis()).toMatchObject({ min: startTime - 5 * minute, max: startTime + 25 * minute });
    expect(askedOf(server, paths.thinned)).toEqual([]);
    expect(askedOf(server, paths.readings).at(-1)).toEqual({
      deviceName: 'WS-1',
      startTime: String(startTime - 5 * minute),
      endTime: String(startTime + 25 * minute),
      yeuSignList: 'airTemperature',
    });
    const chart = noticeRegion().getByRole('img', { name: /^Readings from / });
    expect(chart).toHaveAccessibleName(
      /Air temperature from 2\.0\s°C to 3\.0\s°C\. The readings that triggered it are marked\./,
    );
    expect(within(chart).getByText(/^Alarm below 2\.0\s°C$/)).toBeInTheDocument();
    expect(within(chart).getByText(/^Began /)).toBeInTheDocument();
    expect(chart.querySelectorAll('circle.sample')).toHaveLength(1);
  });

  it('spans ten readings before and after the alarm of a device that reports twice an hour', async () => {
    const startTime = Date.now() - 24 * 60 * minute;
    const one = notice({ startTime, endTime: startTime + 45 * minute, resolveStatus: 1 });
    const { server } = await open(one, { samples: [] }, (before) => {
      before.rows = Array.from({ length: 96 }, (_, i) => ({
        collect_time: startTime + (i - 48) * 30 * minute,
        airTemperature: Number(((i % 40) / 10).toFixed(1)),
      }));
    });
    const max = startTime + 60 * minute + 9 * 30 * minute;
    await waitFor(() => expect(axis()).toMatchObject({ min: startTime - 10 * 30 * minute, max }));
    expect(lines()[0]).toHaveLength(22);
    // Two hours hold too few readings, a day holds enough.
    expect(new Set(askedOf(server, paths.thinned).map(({ startTime: from }) => from)).size).toBe(4);
    expect(
      noticeRegion().getByRole('img', { name: /^Readings from .*Air temperature from 0\.0\s°C to 3\.9/ }),
    ).toBeVisible();
  });

  it('has an axis that spans at least what the quantity needs', async () => {
    const limit = { ...condition(), value: 2 };
    await open(notice(), { rule: { conditions: [limit] }, samples: [] }, (server) => {
      server.rows = [{ collect_time: Date.now() - 20 * minute, airTemperature: 2.1 }];
      server.properties = server.properties.map((property) =>
        property.identifier === 'airTemperature' ? { ...property, leastSpan: 8 } : property,
      );
    });
    const [{ min, max } = { min: 0, max: 0 }] = (drawn.option as { yAxis: { min: number; max: number }[] }).yAxis;
    await waitFor(() => expect(max - min).toBeGreaterThanOrEqual(8));
  });

  it.each([
    ['>', 'Alarm above 2.0'],
    ['>=', 'Alarm if at least 2.0'],
    ['<=', 'Alarm if at most 2.0'],
    ['=', 'Alarm at 2.0'],
    ['!=', 'Alarm if not 2.0'],
  ] as const)('describes the limit of a condition with %s as the condition does', async (subconditions, words) => {
    const [condition] = detailOf(notice()).alarmRules.conditions;
    if (!condition) throw new Error('no condition');
    await open(notice(), { rule: { conditions: [{ ...condition, subconditions }] } });
    expect(within(noticeRegion().getByRole('img')).getByText(new RegExp(`^${words}\\s°C$`))).toBeInTheDocument();
  });

  it('has names at its lines', async () => {
    await open();
    expect(within(noticeRegion().getByRole('img')).getByText('Air temperature')).toBeInTheDocument();
  });

  it('has the names above it on a phone', async () => {
    setWidth(390);
    await openNotices(noticeServer(), '/inform?id=1');
    const chart = noticeRegion().getByRole('img', { name: /^Readings from / });
    expect(within(chart).queryByText('Air temperature')).toBeNull();
    expect(within(chart.previousElementSibling as HTMLElement).getByText('Air temperature')).toBeVisible();
  });

  it('requests, for an open notice, only times up to now', async () => {
    const before = Date.now();
    const { server, one } = await open();
    const asked = askedOf(server, paths.readings).at(-1);
    expect(Number(asked?.startTime)).toBe(one.startTime - 5 * minute);
    expect(Number(asked?.endTime)).toBeGreaterThanOrEqual(before);
    expect(Number(asked?.endTime)).toBeLessThanOrEqual(Date.now() + 1);
    expect(axis()?.max).toBeGreaterThan(before + 4 * minute);
  });

  it('draws the kept readings if the others no longer exist', async () => {
    const one = notice({ resolveStatus: 1, endTime: Date.now() - 10 * minute });
    const kept = { airTemperature: [{ time: one.startTime, value: 1.5 }] };
    await open(one, { kept }, (server) => {
      server.rows = [];
    });
    expect(lines()).toEqual([[[one.startTime, 1.5]]]);
  });

  it('also requests attributes that the product has lost since, and names them as they were', async () => {
    const [condition] = detailOf(notice()).alarmRules.conditions;
    if (!condition) throw new Error('no condition');
    const lost = { ...condition, precision: 2, tslAttribute: 'lost', yeuName: 'Lost' };
    const at = Date.now() - 20 * minute;
    const { server } = await open(notice(), { rule: { conditions: [lost] }, samples: [] }, (before) => {
      before.rows = [{ collect_time: at, lost: 1.5 }];
    });
    expect(askedOf(server, paths.readings).at(-1)?.yeuSignList).toBe('lost');
    expect(lines()).toEqual([[[at, 1.5]]]);
    expect(noticeRegion().getByRole('img', { name: /^Readings from .*Lost from 1\.50\s°C/ })).toBeVisible();
    expect(part('Conditions').getByText('Lost')).toBeVisible();
    expect(fact('Reading now')).toHaveTextContent('–');
  });

  it('says that there is nothing to draw', async () => {
    await open(notice(), {}, (server) => {
      server.rows = [];
    });
    expect(await noticeRegion().findByText('No readings are kept of this time.')).toBeVisible();
  });

  it('shows an error if the readings cannot be fetched, and retries', async () => {
    const { server, user } = await open(notice(), {}, (before) => before.answers.set(paths.readings, noAnswer));
    const note = await noticeRegion().findByRole('alert');
    expect(note).toHaveTextContent('The readings could not be fetched');
    server.answers.delete(paths.readings);
    await user.click(within(note).getByRole('button', { name: 'Retry' }));
    expect(await noticeRegion().findByRole('img', { name: /^Readings from / })).toBeVisible();
  });

  it('thins longer ones and draws the first thirty days of very long ones', async () => {
    const startTime = Date.now() - 40 * 24 * 60 * minute;
    const { server } = await open(notice({ startTime }), {}, (before) => {
      before.rows = [{ collect_time: startTime, airTemperature: 1 }];
    });
    const [asked] = askedOf(server, paths.thinned);
    expect(asked?.points).toBe('1500');
    const span = Number(asked?.endTime) - Number(asked?.startTime);
    expect(span).toBe(30 * 24 * 60 * minute);
    // Nothing is left of thirty days for readings before the alarm.
    expect(new Set(askedOf(server, paths.thinned).map(({ startTime: from }) => from)).size).toBe(1);
    expect(noticeRegion().getByText('The first 30 days are drawn.')).toBeVisible();
  });

  it('of an offline device shows its presence changes', async () => {
    const startTime = Date.now() - 30 * minute;
    const rule = { triggerType: 1 as const, conditions: [], durations: minute };
    const one = notice({ startTime, endTime: startTime + 10 * minute, resolveStatus: 1 });
    await open(one, { rule, notice: { resolveReason: 'online' }, samples: [] }, (server) => {
      server.presence = [
        { time: startTime + 10 * minute, onlineState: 1 },
        { time: startTime - minute, onlineState: 0 },
      ];
    });
    expect(lines()).toEqual([
      [
        [startTime - 5 * minute, 1],
        [startTime - minute, 0],
        [startTime + 10 * minute, 1],
        [startTime + 15 * minute, 1],
      ],
    ]);
    expect(part('Conditions').getByText(/Device offline for/)).toBeVisible();
    expect(part('How it ended').getByText('The device was back.')).toBeVisible();
    expect(noticeRegion().queryByText('Reading now')).toBeNull();
  });
});

describe('an ended notice', () => {
  it.each([
    ['recovered', 'A reading was back within the limits.'],
    ['online', 'The device was back.'],
    ['changed', 'The rule was changed, which ends its open notice.'],
    ['stopped', 'The rule was stopped, which ends its open notice.'],
    ['deleted', 'The rule was deleted, which ends its open notice.'],
    ['left', 'The device is not one of this rule’s any more, which ends its open notice.'],
  ] as const)('says why it ended: %s', async (resolveReason, words) => {
    const startTime = Date.now() - 65 * minute;
    await open(notice({ startTime, endTime: startTime + 61 * minute + 5000, resolveStatus: 1 }), {
      notice: { resolveReason },
    });
    expect(part('How it ended').getByText(words)).toBeVisible();
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
    await open(notice({ endTime: Date.now(), resolveStatus: 1 }), {
      notice: { resolveReason: 'attributeGone', ...(resolveAttribute ? { resolveAttribute } : {}) },
    });
    expect(part('How it ended').getByText(words)).toBeVisible();
  });

  it('says that its device no longer exists, and requests nothing of the device', async () => {
    const kept = { airTemperature: [{ time: Date.now() - 21 * minute, value: 1.5 }] };
    const { server } = await open(notice({ resolveStatus: 1, endTime: Date.now() - 10 * minute }), {
      device: { deleted: true, onlineState: 0 },
      kept,
    });
    expect(part('Device').getByText('This device is not there any more')).toBeVisible();
    expect(part('Device').queryByText('Offline')).toBeNull();
    expect(lines()[0]).toHaveLength(1);
    expect(askedOf(server, paths.readings)).toEqual([]);
    expect(askedOf(server, paths.properties)).toEqual([]);
  });
});

describe('an unsteady notice', () => {
  const unsteady = (change: Parameters<typeof notice>[0] = {}) => notice({ unsteady: true, changes: 1234, ...change });
  const unsteadyNote = () => noticeRegion().getByText('The readings kept crossing', { exact: false });

  it('says why it stays open, how often its condition changed, and what would help', async () => {
    const { server } = await open(unsteady(), {}, (one) => {
      one.advice = { tslAttribute: 'airTemperature', recovery: 3.5, notices: 1, without: 13 };
    });
    expect(noticeRegion().getAllByText('Unsteady')).toHaveLength(2);
    await waitFor(() =>
      expect(unsteadyNote()).toHaveTextContent(
        /^The readings kept crossing the limit: .+ This one stays open until .+ changed at least 1,234 times .+ With a recovery value of 3\.5\s°C for Air temperature, 1 notice would have begun in the hour before, in place of 13\. .+ shows how much\.$/,
      ),
    );
    expect(askedOf(server, paths.advice).map(({ id }) => id)).toEqual(['1']);
  });

  it('does not say that it stays open once it has ended, and has advice without figures if none is known', async () => {
    await open(unsteady({ resolveStatus: 1, endTime: Date.now(), changes: 0 }));
    expect(unsteadyNote()).toHaveTextContent(
      /^The readings kept crossing the limit: \D+\. A recovery value in the rule .+\.$/,
    );
    expect(unsteadyNote()).not.toHaveTextContent('stays open');
  });

  it('of a device that keeps going offline mentions its connection', async () => {
    const { server } = await open(unsteady(), { rule: { triggerType: 1, conditions: [] } });
    expect(noticeRegion().getByText('The device kept losing its connection', { exact: false })).toHaveTextContent(
      /online for ten minutes\..+A longer time in the rule/,
    );
    expect(askedOf(server, paths.advice)).toEqual([]);
  });
});

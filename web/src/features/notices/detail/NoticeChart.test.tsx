import { waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { drawnLines, drawnOption } from '@/test/drawnChart';
import { setWidth } from '@/test/mediaQueries';
import { askedOf, noticePart, noticeRegion, noticeServer, openNotice, openNotices, paths } from '@/test/noticeServer';
import { detailOf, notice } from '@/test/samples';
import { noAnswer } from '@/test/telemetryServer';

vi.mock('@/ui/chart/Chart', () => import('@/test/drawnChart'));

const minute = 60_000;
const fact = (name: string) => noticeRegion().getByText(name).closest('div')?.querySelector('dd');

function condition() {
  const [first] = detailOf(notice()).alarmRules.conditions;
  if (!first) throw new Error('no condition');
  return first;
}

describe('the chart of a notice', () => {
  it('spans five minutes before to five minutes after', async () => {
    const startTime = Date.now() - 40 * minute;
    const one = notice({ startTime, endTime: startTime + 20 * minute, resolveStatus: 1 });
    const { server } = await openNotice(one, {}, (before) => {
      before.rows = Array.from({ length: 300 }, (_, i) => ({
        collect_time: startTime - 15 * minute + i * 10_000,
        airTemperature: 2 + (i % 11) / 10,
      }));
    });
    expect(drawnOption().xAxis[0]).toMatchObject({ min: startTime - 5 * minute, max: startTime + 25 * minute });
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
    expect(within(chart).getByText(/^Noticed /)).toBeInTheDocument();
    expect(chart.querySelectorAll('circle.sample')).toHaveLength(1);
  });

  it('spans ten readings before and after the alarm of a device that reports twice an hour', async () => {
    const startTime = Date.now() - 24 * 60 * minute;
    const one = notice({ startTime, endTime: startTime + 45 * minute, resolveStatus: 1 });
    const { server } = await openNotice(one, { samples: [] }, (before) => {
      before.rows = Array.from({ length: 96 }, (_, i) => ({
        collect_time: startTime + (i - 48) * 30 * minute,
        airTemperature: Number(((i % 40) / 10).toFixed(1)),
      }));
    });
    const max = startTime + 60 * minute + 9 * 30 * minute;
    await waitFor(() => expect(drawnOption().xAxis[0]).toMatchObject({ min: startTime - 10 * 30 * minute, max }));
    expect(drawnLines()[0]).toHaveLength(22);
    // Two hours hold too few readings, a day holds enough.
    expect(new Set(askedOf(server, paths.thinned).map(({ startTime: from }) => from)).size).toBe(4);
    expect(
      noticeRegion().getByRole('img', { name: /^Readings from .*Air temperature from 0\.0\s°C to 3\.9/ }),
    ).toBeVisible();
  });

  it('begins with since when the alarm holds on request, however long ago, and with the alarm again', async () => {
    const day = 24 * 60 * minute;
    const startTime = Date.now() - 20 * minute;
    const holdsSince = startTime - 70 * day;
    const { server, user } = await openNotice(notice({ startTime, holdsSince, holdsSinceDay: true }), {}, (before) => {
      before.rows = Array.from({ length: 100 }, (_, i) => ({
        collect_time: startTime - i * day,
        airTemperature: i / 50,
      }));
    });
    const around = drawnOption().xAxis[0]?.min;
    const button = noticeRegion().getByRole('button', { name: 'From since', pressed: false });
    await user.click(button);
    await waitFor(() => expect(drawnOption().xAxis[0]?.min).toBe(holdsSince - 10 * day));
    await waitFor(() => expect(drawnLines()[0]).toHaveLength(81));
    // One call takes at most thirty days.
    for (const { startTime: from, endTime: to } of askedOf(server, paths.thinned)) {
      expect(Number(to) - Number(from)).toBeLessThanOrEqual(30 * day);
    }
    await user.click(noticeRegion().getByRole('button', { name: 'From since', pressed: true }));
    await waitFor(() => expect(drawnOption().xAxis[0]?.min).toBe(around));
  });

  it('has no other beginning if the alarm was noticed at once', async () => {
    await openNotice(notice({ holdsSince: notice().startTime }));
    expect(noticeRegion().queryByRole('button', { name: 'From since' })).toBeNull();
  });

  it('has an axis that spans at least what the quantity needs', async () => {
    const limit = { ...condition(), value: 2 };
    await openNotice(notice(), { rule: { conditions: [limit] }, samples: [] }, (server) => {
      server.rows = [{ collect_time: Date.now() - 20 * minute, airTemperature: 2.1 }];
      server.properties = server.properties.map((property) =>
        property.identifier === 'airTemperature' ? { ...property, leastSpan: 8 } : property,
      );
    });
    const [{ min, max } = { min: 0, max: 0 }] = (drawnOption() as { yAxis: { min: number; max: number }[] }).yAxis;
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
    await openNotice(notice(), { rule: { conditions: [{ ...condition, subconditions }] } });
    expect(within(noticeRegion().getByRole('img')).getByText(new RegExp(`^${words}\\s°C$`))).toBeInTheDocument();
  });

  it('has names at its lines', async () => {
    await openNotice();
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
    const { server, one } = await openNotice();
    const asked = askedOf(server, paths.readings).at(-1);
    expect(Number(asked?.startTime)).toBe(one.startTime - 5 * minute);
    expect(Number(asked?.endTime)).toBeGreaterThanOrEqual(before);
    expect(Number(asked?.endTime)).toBeLessThanOrEqual(Date.now() + 1);
    expect(drawnOption().xAxis[0]?.max).toBeGreaterThan(before + 4 * minute);
  });

  it('draws the kept readings if the others no longer exist', async () => {
    const one = notice({ resolveStatus: 1, endTime: Date.now() - 10 * minute });
    const kept = { airTemperature: [{ time: one.startTime, value: 1.5 }] };
    await openNotice(one, { kept }, (server) => {
      server.rows = [];
    });
    expect(drawnLines()).toEqual([[[one.startTime, 1.5]]]);
  });

  it('also requests attributes that the product has lost since, and names them as they were', async () => {
    const [condition] = detailOf(notice()).alarmRules.conditions;
    if (!condition) throw new Error('no condition');
    const lost = { ...condition, precision: 2, tslAttribute: 'lost', yeuName: 'Lost' };
    const at = Date.now() - 20 * minute;
    const { server } = await openNotice(notice(), { rule: { conditions: [lost] }, samples: [] }, (before) => {
      before.rows = [{ collect_time: at, lost: 1.5 }];
    });
    expect(askedOf(server, paths.readings).at(-1)?.yeuSignList).toBe('lost');
    expect(drawnLines()).toEqual([[[at, 1.5]]]);
    expect(noticeRegion().getByRole('img', { name: /^Readings from .*Lost from 1\.50\s°C/ })).toBeVisible();
    expect(noticePart('Conditions').getByText('Lost')).toBeVisible();
    expect(fact('Reading now')).toHaveTextContent('–');
  });

  it('says that there is nothing to draw', async () => {
    await openNotice(notice(), {}, (server) => {
      server.rows = [];
    });
    expect(await noticeRegion().findByText('No readings are kept of this time.')).toBeVisible();
  });

  it('shows an error if the readings cannot be fetched, and retries', async () => {
    const { server, user } = await openNotice(notice(), {}, (before) => before.answers.set(paths.readings, noAnswer));
    const note = await noticeRegion().findByRole('alert');
    expect(note).toHaveTextContent('The readings could not be fetched');
    server.answers.delete(paths.readings);
    await user.click(within(note).getByRole('button', { name: 'Retry' }));
    expect(await noticeRegion().findByRole('img', { name: /^Readings from / })).toBeVisible();
  });

  it('thins longer ones and draws the first thirty days of very long ones', async () => {
    const startTime = Date.now() - 40 * 24 * 60 * minute;
    const { server } = await openNotice(notice({ startTime }), {}, (before) => {
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

  it('of an offline device without a main property shows its presence changes', async () => {
    const startTime = Date.now() - 30 * minute;
    const rule = { triggerType: 1 as const, conditions: [], durations: minute };
    const one = notice({ startTime, endTime: startTime + 10 * minute, resolveStatus: 1 });
    await openNotice(
      one,
      { rule, notice: { resolveReason: 'online' }, device: { mainSign: '' }, samples: [] },
      (server) => {
        server.presence = [
          { time: startTime + 10 * minute, onlineState: 1 },
          { time: startTime - minute, onlineState: 0 },
        ];
      },
    );
    expect(drawnLines()).toEqual([
      [
        [startTime - 6 * minute, 1],
        [startTime - minute, 0],
        [startTime + 10 * minute, 1],
        [startTime + 15 * minute, 1],
      ],
    ]);
    expect(noticePart('Conditions').getByText(/Device offline for/)).toBeVisible();
    expect(noticePart('How it ended').getByText('The device was back.')).toBeVisible();
    expect(noticeRegion().queryByText('Reading now')).toBeNull();
  });
});

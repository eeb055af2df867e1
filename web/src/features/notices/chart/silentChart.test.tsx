import { within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { drawnLines, drawnOption } from '@/test/drawnChart';
import { askedOf, noticeRegion, openNotice, paths } from '@/test/noticeServer';
import { notice } from '@/test/samples';

vi.mock('@/ui/chart/Chart', () => import('@/test/drawnChart'));

const minute = 60_000;
const offline = { rule: { triggerType: 1 as const, conditions: [], durations: 10 * minute }, samples: [] };

it('shows what a silent device sent before, up to now, with its silence marked', async () => {
  const now = Date.now();
  const since = now - 120 * minute;
  const { server } = await openNotice(
    notice({ startTime: since + 10 * minute, holdsSince: since }),
    offline,
    (before) => {
      before.rows = Array.from({ length: 40 }, (_, i) => ({
        collect_time: since - i * 5 * minute,
        airTemperature: 5 + (i % 3),
      })).reverse();
    },
  );
  // Half as long as the silence.
  expect(drawnLines()[0]).toHaveLength(13);
  expect(drawnLines()[0]?.at(-1)).toEqual([since, 5]);
  const { min, max } = drawnOption().xAxis[0] as { min: number; max: number };
  expect(min).toBeLessThanOrEqual(since - 60 * minute);
  // The axis moves on every ten seconds.
  expect(max).toBeGreaterThan(now - minute);
  const chart = noticeRegion().getByRole('img', { name: /Air temperature from 5\.0\s°C to 7\.0\s°C/ });
  expect(within(chart).getByText(/^Silent since /)).toBeInTheDocument();
  expect(askedOf(server, paths.presence)).toEqual([]);
});

it('looks further back for a device that reports rarely', async () => {
  const since = Date.now() - 30 * minute;
  await openNotice(notice({ startTime: since + 10 * minute, holdsSince: since }), offline, (before) => {
    before.rows = Array.from({ length: 24 }, (_, i) => ({
      collect_time: since - i * 60 * minute,
      airTemperature: 5,
    })).reverse();
  });
  expect(drawnLines()[0]?.length).toBeGreaterThanOrEqual(10);
});

import { waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { noticeRegion, noticeServer, openNotices } from '@/test/noticeServer';
import { detailOf, notice } from '@/test/samples';

vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

const minute = 60_000;
const day = 24 * 60 * minute;
const startTime = Math.floor(Date.now() / 1000) * 1000 - 22 * minute;

async function open(one = notice({ startTime }), change: Parameters<typeof detailOf>[1] = {}) {
  const server = noticeServer([one]);
  server.details.set(one.id, detailOf(one, change));
  await openNotices(server);
  return server;
}

const link = () => noticeRegion().queryByRole<HTMLAnchorElement>('link', { name: 'Open in analysis' });
const linked = () => {
  const address = new URL(link()?.href ?? '');
  expect(address.pathname).toBe('/analysis');
  return address.searchParams;
};

it('leads from a notice to its device, the attributes of its rule and the time around it', async () => {
  const began = startTime - 3 * day;
  const endTime = startTime - 10 * minute;
  const { rows } = await open(notice({ startTime: began, endTime, resolveStatus: 1 }));
  expect(linked().get('devices')).toBe('WS-1');
  expect(linked().get('signs')).toBe('airTemperature');
  expect(Number(linked().get('from'))).toBe(began - 5 * minute);
  // The chart spans ten readings after the end, and so does the analysis.
  const tenth = rows.filter(({ collect_time: time }) => time > endTime)[9]?.collect_time;
  await waitFor(() => expect(Number(linked().get('to'))).toBe(tenth));
});

it('shows the day up to the end of this minute of an alarm that has just begun, so that its readings are drawn', async () => {
  const before = Date.now();
  await open();
  const to = Number(linked().get('to'));
  expect(to).toBeGreaterThan(before);
  expect(to).toBeLessThan(Date.now() + 2 * minute);
  expect(Number(linked().get('from'))).toBe(to - day);
});

it('is not there for a device that is gone', async () => {
  await open(notice({ startTime }), { device: { deleted: true, onlineState: 0 } });
  expect(noticeRegion().getByText('Device')).toBeVisible();
  expect(link()).toBeNull();
});

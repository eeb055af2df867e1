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

it('leads from a notice to what its rule asks of its device, with the limit, up to now', async () => {
  const began = startTime - 3 * day;
  await open(notice({ startTime: began, endTime: startTime - 10 * minute, resolveStatus: 1 }));
  expect(Object.fromEntries(linked())).toEqual({
    devices: 'WS-1',
    signs: 'airTemperature',
    range: 'week',
    alarm: '1',
  });
});

it('leads from the notice of a silent device to its main property', async () => {
  await open(notice({ startTime }), { rule: { triggerType: 1, conditions: [] }, device: { mainSign: 'airHumidity' } });
  expect(linked().get('signs')).toBe('airHumidity');
});

it('is not there for a device that is gone', async () => {
  await open(notice({ startTime }), { device: { deleted: true, onlineState: 0 } });
  expect(noticeRegion().getByText('Device')).toBeVisible();
  expect(link()).toBeNull();
});

import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { homeServer, openHome } from '@/test/homeServer';
import { ack, type Notice, notice } from '@/test/samples';
import { refused } from '@/test/server';

// Leaflet needs a browser's layout; the linked page has tests of its own.
vi.mock('../map/DeviceMap', () => ({ DeviceMap: () => null }));
vi.mock('@/features/notices/NoticesPage', () => ({ NoticesPage: () => null }));

const path = '/admin-api/client/pc/alarm-notice/page';
let telemetry: ReturnType<typeof homeServer>;

const panel = () => within(screen.getByRole('region', { name: 'Orchard mast' }));
const links = () => panel().getAllByRole('link');
const noticeRequests = () => telemetry.server.calls.filter(({ pathname }) => pathname === path);
const streamNotice = (data: object) =>
  act(() => telemetry.live.newest()?.write(`event: notice\ndata: ${JSON.stringify(data)}\n\n`));

/** The first mast has an alarm, with these open notices. */
async function open(notices: Notice[]) {
  telemetry.server.groups = telemetry.server.groups.map((group) => ({
    ...group,
    deviceList: group.deviceList.map((device) =>
      device.deviceName === 'WS-1' ? { ...device, alarmLevel: 2 } : device,
    ),
  }));
  telemetry.server.notices = notices;
  const opened = await openHome(telemetry);
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return opened;
}

beforeEach(() => {
  telemetry = homeServer();
});

describe('the open alarms of the selected device', () => {
  it('show since when, who has acknowledged them, and link to their pages', async () => {
    const { user, router } = await open([
      notice({ holdsSince: Date.now() - 6 * 24 * 3_600_000, ack: ack() }),
      notice({ id: 2, title: 'Wet leaves', alarmLevel: 0 }),
    ]);
    expect(Object.fromEntries(noticeRequests()[0]?.searchParams ?? [])).toEqual({
      deviceNameStr: 'WS-1',
      resolveStatus: '0',
      pageNo: '1',
      pageSize: '3',
    });
    expect(links()[0]).toHaveTextContent(/^Spring frostSince \w+ \d+, noticed .+SeriousAda is on it$/);
    expect(links()[1]).toHaveTextContent(/^Wet leavesSince .+General$/);
    await user.click(links()[0] as HTMLElement);
    await waitFor(() => expect(router.state.location.href).toBe('/inform?id=1'));
  });

  it('are three at most, with a link to all', async () => {
    await open([4, 3, 2, 1].map((id) => notice({ id, title: `Alarm ${id}` })));
    expect(links()).toHaveLength(4);
    expect(links()[3]).toHaveTextContent('Show all 4');
    expect(links()[3]).toHaveAttribute('href', '/inform?devices=WS-1&status=0');
  });

  it('are not fetched for a device without an alarm', async () => {
    await openHome(telemetry);
    expect(noticeRequests()).toEqual([]);
    expect(panel().queryByText('Open alarms')).toBeNull();
  });

  it('show an error if they cannot be fetched', async () => {
    telemetry.server.failingPaths.set(path, () => refused(500, 'The server is at fault'));
    await open([]);
    expect(panel().getByText('The open alarms could not be fetched')).toBeVisible();
  });

  it('are updated by the stream without a request, including an end', async () => {
    const [frost, wet] = [notice(), notice({ id: 2, title: 'Wet leaves' })];
    await open([frost, wet]);
    const before = noticeRequests().length;
    streamNotice({ ...frost, holdsSince: frost.startTime - 3_600_000, ack: ack() });
    await waitFor(() => expect(links()[0]).toHaveTextContent('Ada is on it'));
    expect(links()[0]).toHaveTextContent(/Since .+, noticed /);
    streamNotice(frost);
    await waitFor(() => expect(links()[0]).not.toHaveTextContent('is on it'));
    streamNotice({ ...wet, resolveStatus: 1, endTime: Date.now() });
    await waitFor(() => expect(links()).toHaveLength(1));
    streamNotice(notice({ id: 5, deviceName: 'WS-2' }));
    expect(noticeRequests()).toHaveLength(before);
  });

  it('are fetched when an alarm begins', async () => {
    await open([notice()]);
    const fresh = notice({ id: 9, title: 'Just now' });
    telemetry.server.notices = [fresh, notice()];
    streamNotice(fresh);
    await waitFor(() => expect(links()[0]).toHaveTextContent(/^Just now/));
  });
});

import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { streamEvent } from '@/test/alarmServer';
import { setWidth } from '@/test/mediaQueries';
import {
  askedOf,
  list,
  type NoticeServer,
  noticeRegion,
  noticeRegionTitle,
  noticeServer,
  openNotices,
  paths,
  titles,
} from '@/test/noticeServer';
import { notice } from '@/test/samples';
import { refused } from '@/test/server';
import { noAnswer } from '@/test/telemetryServer';

// jsdom has no canvas.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

const hour = 3_600_000;
const threeNotices = () => [
  notice(),
  notice({ id: 2, title: 'Table offline', alarmLevel: 1, deviceName: 'WS-2', noteName: 'Lower mast' }),
  notice({ id: 3, title: 'Summer heat', resolveStatus: 2, alarmLevel: 0, startTime: Date.now() - 72 * hour }),
];
const manyNotices = (count: number) =>
  Array.from({ length: count }, (_, i) => notice({ id: count - i, title: `Notice ${count - i}`, resolveStatus: 1 }));
const link = (name: RegExp) => list().getByRole('link', { name });
const lastAsked = (server: NoticeServer) => askedOf(server, paths.page).at(-1);
const begin = (server: NoticeServer, change = {}) => {
  const one = notice({ id: 900, title: 'Just now', startTime: Date.now(), ...change });
  server.notices = [one, ...server.notices];
  streamEvent(server as never, 'notice', one);
  return one;
};

describe('the list', () => {
  it('shows for each notice title, device, time and state, and opens the first one', async () => {
    await openNotices(noticeServer(threeNotices()));
    expect(titles()).toEqual(['Spring frost', 'Table offline', 'Summer heat']);
    expect(link(/^Spring frost/)).toHaveTextContent(
      /Spring frost(Today, \d\d:\d\d|\w+ \d+, \d\d:\d\d)Orchard mastPendingSerious/,
    );
    expect(link(/^Summer heat/)).toHaveTextContent(/\w+ \d+, \d\d:\d\dOrchard mastManual solutionGeneral/);
    expect(link(/^Spring frost/)).toHaveAttribute('aria-current', 'true');
    expect(noticeRegionTitle()).toBe('Spring frost');
    expect(screen.getByText('6 today, 2 pending')).toBeVisible();
  });

  it('shows first since when it holds, and when it was recorded only if that was later', async () => {
    const startTime = Date.now() - 60_000;
    const held = { startTime, holdsSince: startTime - 6 * 24 * hour };
    await openNotices(
      noticeServer([notice(held), notice({ id: 2, title: 'Handed in late', ...held, createTime: startTime + 60_000 })]),
    );
    const since = /Since \w+ \d+, noticed (\w+ \d+, )?\d\d:\d\dOrchard mastPendingSerious$/;
    expect(link(/^Spring frost/).textContent).toMatch(new RegExp(`^Spring frost${since.source}`));
    expect(link(/^Handed in late/).textContent).toMatch(
      new RegExp(`^Handed in late(Today, |\\w+ \\d+, )\\d\\d:\\d\\d${since.source}`),
    );
  });

  it('searches titles once typing pauses, at once on Query and Enter, and keeps the search in the address', async () => {
    const server = noticeServer(threeNotices());
    const { user, router } = await openNotices(server);
    const field = screen.getByRole('textbox', { name: 'Search titles' });
    await user.type(field, 'frost');
    await waitFor(() => expect(titles()).toEqual(['Spring frost']));
    await user.clear(field);
    await user.type(field, ' heat ');
    expect(lastAsked(server)).not.toMatchObject({ title: 'heat' });
    await user.click(screen.getByRole('button', { name: 'Query' }));
    await waitFor(() => expect(titles()).toEqual(['Summer heat']));
    expect(lastAsked(server)).toMatchObject({ title: 'heat', pageNo: '1', pageSize: '10' });
    expect(router.state.location.search).toMatchObject({ q: 'heat' });
    await waitFor(() => expect(noticeRegionTitle()).toBe('Summer heat'));
    await user.clear(field);
    await user.type(field, 'table{Enter}');
    await waitFor(() => expect(titles()).toEqual(['Table offline']));
    await user.click(screen.getByRole('button', { name: 'Clear the search' }));
    await waitFor(() => expect(titles()).toHaveLength(3));
    expect(router.state.location.search.q).toBeUndefined();
  });

  it('refetches when the same text is queried again', async () => {
    const server = noticeServer(threeNotices());
    const { user } = await openNotices(server);
    server.notices = server.notices.slice(1);
    await user.click(screen.getByRole('button', { name: 'Query' }));
    await waitFor(() => expect(titles()).toEqual(['Table offline', 'Summer heat']));
  });

  it('is filtered by status, level and devices', async () => {
    const server = noticeServer(threeNotices());
    const { user, router } = await openNotices(server);
    expect(screen.queryByRole('combobox', { name: 'Status' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Filters' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Pending');
    await waitFor(() => expect(titles()).toEqual(['Spring frost', 'Table offline']));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Level' }), 'Important');
    await waitFor(() => expect(titles()).toEqual(['Table offline']));
    expect(lastAsked(server)).toMatchObject({ resolveStatus: '0', alarmLevel: '1' });
    await user.selectOptions(screen.getByRole('combobox', { name: 'Level' }), 'All levels');
    await user.click(await screen.findByRole('treeitem', { name: /Orchard mast/ }));
    await waitFor(() => expect(titles()).toEqual(['Spring frost']));
    await user.click(screen.getByRole('treeitem', { name: /Lower mast/ }));
    await waitFor(() => expect(lastAsked(server)).toMatchObject({ deviceNameStr: 'WS-1,WS-2' }));
    expect(router.state.location.search).toMatchObject({ devices: 'WS-1,WS-2', status: 0 });
    await user.click(screen.getByRole('button', { name: 'Do not filter by Orchard mast' }));
    await waitFor(() => expect(titles()).toEqual(['Table offline']));
  });

  it('opens as the address says', async () => {
    const server = noticeServer(manyNotices(250));
    await openNotices(server, '/inform?q=notice&status=1&devices=WS-1&page=2&size=100&id=7');
    expect(lastAsked(server)).toEqual({
      title: 'notice',
      resolveStatus: '1',
      deviceNameStr: 'WS-1',
      pageNo: '2',
      pageSize: '100',
    });
    expect(screen.getByText('101–200 of 250')).toBeVisible();
    // It is on another page.
    expect(noticeRegionTitle()).toBe('Notice 7');
  });

  it('has pages of 10, 100, 200, 300 and 400 among ten thousand notices', async () => {
    const server = noticeServer(manyNotices(10_000));
    const { user, router } = await openNotices(server);
    expect(screen.getByText('1–10 of 10,000')).toBeVisible();
    const size = screen.getByRole('combobox', { name: 'Rows on a page' });
    expect(
      within(size)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual([10, 100, 200, 300, 400].map((n) => `${n} / page`));
    await user.click(screen.getByRole('listitem', { name: '2' }));
    await waitFor(() => expect(screen.getByText('11–20 of 10,000')).toBeVisible());
    await waitFor(() => expect(noticeRegionTitle()).toBe('Notice 9990'));
    expect(router.state.location.search).toMatchObject({ page: 2 });
  });

  it('goes to the last page if the address’s page no longer exists', async () => {
    const { router } = await openNotices(noticeServer(manyNotices(12)), '/inform?page=9&id=3');
    await waitFor(() => expect(titles()).toEqual(['Notice 2', 'Notice 1']));
    expect(router.state.location.search).toMatchObject({ page: 2, id: 3 });
  });

  it('says that there is no data, and why', async () => {
    const { user } = await openNotices(noticeServer([]));
    const panel = within(screen.getByRole('region', { name: 'Alarm notices' }));
    expect(panel.getByRole('heading', { name: 'no data' })).toBeVisible();
    expect(panel.getByText('When a running rule triggers, its notice appears here at once.')).toBeVisible();
    await user.type(screen.getByRole('textbox', { name: 'Search titles' }), 'x{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Show all notices' }));
    expect(await screen.findByText('When a running rule triggers, its notice appears here at once.')).toBeVisible();
  });

  it('stays if the server does not answer, says so, and retries', async () => {
    const server = noticeServer(threeNotices());
    const { user } = await openNotices(server);
    server.answers.set(paths.page, noAnswer);
    await user.click(screen.getByRole('button', { name: 'Query' }));
    expect(await screen.findByText('The server does not answer')).toBeVisible();
    expect(titles()).toHaveLength(3);
    server.answers.delete(paths.page);
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText('The server does not answer')).toBeNull());
  });

  it('is navigated with the arrow keys', async () => {
    const { user, router } = await openNotices(noticeServer(threeNotices()));
    link(/^Spring frost/).focus();
    await user.keyboard('{ArrowDown}');
    expect(link(/^Table offline/)).toHaveFocus();
    await waitFor(() => expect(noticeRegionTitle()).toBe('Table offline'));
    expect(router.state.location.search).toMatchObject({ id: 2 });
    await user.keyboard('{End}');
    await waitFor(() => expect(noticeRegionTitle()).toBe('Summer heat'));
    await user.keyboard('{ArrowDown}');
    expect(link(/^Summer heat/)).toHaveFocus();
    await user.keyboard('{Home}{ArrowUp}');
    await waitFor(() => expect(noticeRegionTitle()).toBe('Spring frost'));
  });
});

describe('live', () => {
  it('puts a new notice on top; the open one stays open', async () => {
    const server = noticeServer(threeNotices());
    await openNotices(server);
    begin(server);
    await waitFor(() => expect(titles()[0]).toBe('Just now'));
    expect(noticeRegionTitle()).toBe('Spring frost');
    expect(screen.queryByRole('button', { name: /new notice/ })).toBeNull();
  });

  it('does not move the list for a user who has scrolled, and counts', async () => {
    const server = noticeServer(threeNotices());
    const { user } = await openNotices(server);
    const place = screen.getByRole('list', { name: 'Alarm notices' });
    place.scrollTop = 200;
    begin(server);
    expect(await screen.findByRole('button', { name: '1 new notice' })).toBeVisible();
    begin(server, { id: 901, title: 'And another' });
    begin(server, { id: 902, title: 'Of one that is over', resolveStatus: 1 });
    const bar = await screen.findByRole('button', { name: '2 new notices' });
    expect(titles()).toEqual(['Spring frost', 'Table offline', 'Summer heat']);
    await user.click(bar);
    await waitFor(() => expect(titles()).toHaveLength(6));
    expect(place.scrollTop).toBe(0);
    expect(screen.queryByRole('button', { name: /new notice/ })).toBeNull();
  });

  it('counts on another page only notices that match the filter, and leads to the first page', async () => {
    const server = noticeServer(manyNotices(30));
    const { user, router } = await openNotices(server, '/inform?q=notice&page=2');
    begin(server, { id: 901, title: 'Something else' });
    begin(server, { id: 902, title: 'NOTICE of frost' });
    await user.click(await screen.findByRole('button', { name: '1 new notice' }));
    await waitFor(() => expect(titles()[0]).toBe('NOTICE of frost'));
    expect(router.state.location.search.page).toBeUndefined();
  });

  it('changes the tag of an ended notice in its place, and its detail', async () => {
    const server = noticeServer(threeNotices());
    await openNotices(server);
    const ended = {
      ...(server.notices[0] as ReturnType<typeof notice>),
      resolveStatus: 1 as const,
      endTime: Date.now(),
    };
    server.notices = [ended, ...server.notices.slice(1)];
    streamEvent(server as never, 'notice', ended);
    await waitFor(() => expect(link(/^Spring frost/)).toHaveTextContent('Automatic resolution'));
    expect(await noticeRegion().findByText('A reading was back within the limits.')).toBeVisible();
    expect(noticeRegion().queryByRole('button', { name: 'Mark as solved' })).toBeNull();
  });

  it('refetches everything if events may have been missed', async () => {
    const server = noticeServer(threeNotices());
    await openNotices(server);
    server.notices = server.notices.slice(1);
    streamEvent(server as never, 'notice', { id: 'broken' });
    await waitFor(() => expect(titles()).toEqual(['Table offline', 'Summer heat']));
  });
});

describe('a notice by its id', () => {
  it('says that there is none', async () => {
    await openNotices(noticeServer(threeNotices()), '/inform?id=77');
    expect(await noticeRegion().findByRole('heading', { name: 'There is no such notice' })).toBeVisible();
    expect(titles()).toHaveLength(3);
  });

  it('leads from a missing one to the existing ones', async () => {
    const { user, router } = await openNotices(noticeServer(threeNotices()), '/inform?q=heat&level=0&id=77');
    await user.click(await noticeRegion().findByRole('button', { name: 'Show all notices' }));
    await waitFor(() => expect(titles()).toHaveLength(3));
    await waitFor(() => expect(noticeRegionTitle()).toBe('Spring frost'));
    const { q, level, id } = router.state.location.search;
    expect([q, level, id]).toEqual([undefined, undefined, undefined]);
  });

  it('shows an error if it cannot be fetched, and retries', async () => {
    const server = noticeServer(threeNotices());
    server.answers.set(paths.get, () => refused(500, 'Out of order'));
    const { user } = await openNotices(server, '/inform?id=2');
    expect(await noticeRegion().findByText('Out of order')).toBeVisible();
    server.answers.delete(paths.get);
    await user.click(noticeRegion().getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(noticeRegionTitle()).toBe('Table offline'));
  });
});

describe('on a phone', () => {
  beforeEach(() => setWidth(390));

  it('shows the list, then a notice in its place with a way back', async () => {
    const server = noticeServer(threeNotices());
    const { user, router } = await openNotices(server);
    expect(screen.queryByRole('region', { name: 'Notice' })).toBeNull();
    expect(askedOf(server, paths.get)).toEqual([]);
    await user.click(link(/^Table offline/));
    await waitFor(() => expect(noticeRegionTitle()).toBe('Table offline'));
    expect(screen.queryByRole('list', { name: 'Alarm notices' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Back to the list' }));
    await waitFor(() => expect(titles()).toHaveLength(3));
    expect(router.state.location.search.id).toBeUndefined();
  });

  it('chooses devices in a drawer', async () => {
    const { user } = await openNotices(noticeServer(threeNotices()));
    await user.click(screen.getByRole('button', { name: 'Filter by devices' }));
    await user.click(await screen.findByRole('treeitem', { name: /Lower mast/ }));
    await user.click(screen.getByRole('button', { name: '1 device chosen' }));
    await waitFor(() => expect(titles()).toEqual(['Table offline']));
  });
});

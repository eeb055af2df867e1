import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { alarmServer, askedOf, card, cards, hour, openAlarms, paths } from '@/test/alarmServer';
import { openConsole } from '@/test/console';
import { gate } from '@/test/gate';
import { rule } from '@/test/samples';
import { ok } from '@/test/server';

const day = 24 * hour;

it('says of a rule that has not alarmed since when it runs, and what the rehearsal found', async () => {
  const server = alarmServer([rule({ deployTime: Date.now() - 2 * hour })]);
  server.rehearsed = 10;
  await openAlarms(server);
  expect(card('Spring frost').getByText(/^None since .*\d\d:\d\d$/)).toBeVisible();
  expect(await card('Spring frost').findByText('10 in the last 30 days (rehearsal)')).toBeVisible();
});

it('says that there would have been none, and nothing where it is not known', async () => {
  const server = alarmServer([rule()]);
  const first = await openAlarms(server);
  expect(await screen.findByText('None in the last 30 days (rehearsal)')).toBeVisible();
  first.unmount();
  server.rehearsed = undefined;
  await openAlarms(server);
  await waitFor(() => expect(askedOf(server, paths.rehearsed)).toHaveLength(2));
  expect(screen.queryByText(/rehearsal/)).toBeNull();
});

it('rehearses only rules that need it, one at a time', async () => {
  const ago = Date.now() - hour;
  const server = alarmServer([
    rule({ id: 1, alarmName: 'Has alarmed', lastNotice: { id: 5, startTime: ago }, noticeCount: 1 }),
    rule({ id: 2, alarmName: 'Is open', openNotice: { id: 6, startTime: ago } }),
    rule({ id: 3, alarmName: 'Stopped', deployState: 2 }),
    rule({ id: 4, alarmName: 'Ran all 30 days', deployTime: Date.now() - 31 * day }),
    rule({ id: 5, alarmName: 'On many', deviceCount: 21, targets: { devices: [], groups: [1], products: [] } }),
    rule({ id: 6, alarmName: 'New' }),
    rule({ id: 7, alarmName: 'Newer' }),
  ]);
  const { passed, open } = gate();
  server.answers.set(paths.rehearsed, async () => {
    await passed;
    return ok({ startTime: 0, endTime: 1, total: 3 });
  });
  await openConsole('/alarm');
  await waitFor(() => expect(cards()).toHaveLength(7));
  await waitFor(() => expect(askedOf(server, paths.rehearsed).map((query) => query.get('id'))).toEqual(['6']));
  open();
  await waitFor(() => expect(screen.getAllByText('3 in the last 30 days (rehearsal)')).toHaveLength(2));
  expect(askedOf(server, paths.rehearsed).map((query) => query.get('id'))).toEqual(['6', '7']);
});

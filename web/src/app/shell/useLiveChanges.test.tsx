import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { alarmKeys, devicePropertiesQuery } from '@/features/alarm/queries';
import { linesQuery } from '@/features/analysis/data/queries';
import { devicesQuery, hoursQuery, rowsQuery, sampleQuery } from '@/features/data/history/queries';
import { calibrationsQuery } from '@/features/device/calibration/queries';
import { sceneListQuery, tableQuery } from '@/features/device/queries';
import { invitationPageQuery, peoplePageQuery } from '@/features/profile/people/queries';
import { channelPageQuery, channelQuery, channelsByIdQuery } from '@/lib/channel/queries';
import { dayLinesQuery, dayQuery } from '@/lib/device/queries';
import { allScenesQuery, productsQuery } from '@/lib/device/scenes';
import { userQuery } from '@/lib/http/queries';
import { deviceServer, openDevices } from '@/test/deviceServer';
import { pastKeyList, queriesByChange } from './useLiveChanges';

/** Whether a query is refetched when things of a kind change. */
const isRefetched = (kind: keyof typeof queriesByChange, queryKey: readonly unknown[]) =>
  queriesByChange[kind]?.some((key) => key.every((word, i) => word === queryKey[i])) ?? false;

it('knows the first words of the pages’ query keys', () => {
  const page = { pageNo: 1, pageSize: 10 };
  for (const [sort, queryKey] of [
    ['device', tableQuery('en-us', {}).queryKey],
    ['device', allScenesQuery().queryKey],
    ['device', productsQuery().queryKey],
    ['device', devicePropertiesQuery('en-us', 'WS-1').queryKey],
    ['device', devicesQuery('en-us', '').queryKey],
    ['device', calibrationsQuery('en-us', 'WS-1').queryKey],
    ['device', alarmKeys.kind('page')],
    ['scene', tableQuery('en-us', {}).queryKey],
    ['scene', sceneListQuery('').queryKey],
    ['rule', alarmKeys.kind('page')],
    ['rule', alarmKeys.kind('outlook')],
    ['rule', channelPageQuery(page).queryKey],
    ['channel', channelPageQuery(page).queryKey],
    ['channel', channelsByIdQuery().queryKey],
    ['channel', alarmKeys.kind('page')],
    ['people', peoplePageQuery({}, 1, 10).queryKey],
    ['people', invitationPageQuery(1, 10).queryKey],
    ['me', userQuery().queryKey],
  ] as const) {
    expect(isRefetched(sort, queryKey), `${sort} ${queryKey}`).toBe(true);
  }
});

it('does not refetch a form’s initial data or history', () => {
  expect(isRefetched('rule', alarmKeys.kind('rule'))).toBe(false);
  expect(isRefetched('channel', channelQuery(1).queryKey)).toBe(false);
  expect(isRefetched('device', dayQuery('WS-1', 'airTemperature').queryKey)).toBe(false);
});

it('knows that a changed device may have another past, which is fetched when it is next looked at', () => {
  const asks = { deviceName: 'WS-1', ids: [], from: 0, to: 1, raw: false };
  for (const queryKey of [
    dayQuery('WS-1', 'airTemperature').queryKey,
    dayLinesQuery(['WS-1'], ['airTemperature']).queryKey,
    sampleQuery({ ...asks, points: null }).queryKey,
    hoursQuery(asks).queryKey,
    rowsQuery(asks).queryKey,
    linesQuery([]).queryKey,
  ] as const) {
    const isPast = pastKeyList.some((key) => key.every((word, i) => word === queryKey[i]));
    expect(isPast, `${queryKey}`).toBe(true);
  }
});

describe('on the device page', () => {
  const changes = (server: ReturnType<typeof deviceServer>, of: string[]) =>
    server.live.newest()?.write(`event: change\ndata: ${JSON.stringify({ of })}\n\n`);
  const rename = (server: ReturnType<typeof deviceServer>, noteName: string) => {
    server.devices = server.devices.map((device) => (device.deviceName === 'WS-1' ? { ...device, noteName } : device));
  };

  it("shows another user's change", async () => {
    const server = deviceServer();
    await openDevices(server);
    const asked = server.asked.length;
    rename(server, 'Tall mast');
    changes(server, ['device']);
    expect(await screen.findByRole('link', { name: 'Tall mast' })).toBeVisible();
    expect(server.asked).toHaveLength(asked + 1);
    server.scenes = server.scenes.map((scene) => ({ ...scene, groupName: `${scene.groupName} 2` }));
    changes(server, ['scene', 'weather']);
    expect(await screen.findByText('Old nursery 2')).toBeVisible();
  });

  it('does not disturb a user who is typing', async () => {
    const server = deviceServer();
    const { user } = await openDevices(server, '/device?device=WS-1&edit=true');
    const field = await screen.findByRole('textbox', { name: 'Remark name' });
    await user.clear(field);
    await user.type(field, 'Half a na');
    const asked = server.asked.length;
    rename(server, 'Tall mast');
    changes(server, ['device', 'scene']);
    await waitFor(() => expect(server.asked.length).toBeGreaterThan(asked));
    expect((await screen.findAllByText(/Tall mast/)).length).toBeGreaterThan(0);
    expect(screen.getByRole('textbox', { name: 'Remark name' })).toHaveValue('Half a na');
  });
});

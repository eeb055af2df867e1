import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { addPaths, addServer, findDialog, sentTo } from '@/test/addServer';
import { deviceServer, openDevices } from '@/test/deviceServer';
import { elif, toasts } from '@/test/profileServer';
import { ok, onGet, refused } from '@/test/server';
import { device } from '@/test/telemetryServer';

let server: ReturnType<typeof deviceServer>;

beforeEach(() => {
  server = deviceServer([
    device({ id: 1, deviceName: 'd-1', noteName: 'Lower field', removable: true }),
    device({ id: 2, deviceName: 'WS-2', noteName: 'Of the provider' }),
  ]);
  addServer(server);
});

async function ask() {
  const opened = await openDevices(server, '/device?device=d-1');
  await opened.user.click(await screen.findByRole('button', { name: 'Delete device' }));
  const question = await findDialog('Delete “Lower field”?');
  const confirm = () => opened.user.click(within(question).getByRole('button', { name: 'Delete device' }));
  return { ...opened, question, confirm };
}

describe('a device that was added in the console', () => {
  it('is deleted once that is confirmed, and its sheet closes', async () => {
    const { question, confirm, router } = await ask();
    expect(question).toHaveTextContent('All its readings go with it.');
    expect(within(question).getByRole('button', { name: 'Cancel' })).toHaveFocus();
    await confirm();
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(sentTo(server, addPaths.remove)).toEqual([{ deviceName: 'd-1' }]);
    expect(toasts()).toMatchObject([{ tone: 'success', title: '“Lower field” was deleted' }]);
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Lower field' })).toBeNull());
  });

  it('stays if the server refuses, in its words', async () => {
    const { question, confirm } = await ask();
    server.answers.set(addPaths.remove, () => refused(601, 'The provider’s file has this device'));
    await confirm();
    expect(await within(question).findByRole('alert')).toHaveTextContent('The provider’s file has this device');
  });

  it('may be half deleted after a lost answer', async () => {
    const { question, confirm } = await ask();
    server.answers.set(addPaths.remove, () => HttpResponse.error());
    await confirm();
    expect(await within(question).findByRole('alert')).toHaveTextContent(
      'the device is disabled until it is. Delete it again',
    );
  });

  it('is not deleted by an operator', async () => {
    onGet('/app-api/member/user/get', () => ok({ ...elif, role: 'operator' }));
    await openDevices(server, '/device?device=d-1');
    expect(await screen.findByRole('region', { name: 'Connection' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Delete device' })).toBeNull();
  });
});

it('a device of the provider is not deleted here', async () => {
  await openDevices(server, '/device?device=WS-2');
  expect(await screen.findByRole('region', { name: 'Connection' })).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Delete device' })).toBeNull();
});

import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Group } from '@/lib/device/types';
import { renderWithProviders } from '@/test/renderWithProviders';
import { signedIn } from '@/test/session';
import { device, group, noAnswer, type TelemetryServer, telemetryServer } from '@/test/telemetryServer';
import { DeviceList } from './DeviceList';

const page = '/admin-api/client/pc/device/page';
let server: TelemetryServer;

const some = (from: number, count: number, groupId = 1) =>
  Array.from({ length: count }, (_, i) =>
    device({ id: from + i, deviceName: `WS-${from + i}`, noteName: `Mast ${from + i}`, groupId }),
  );

function draw(groups: Group[] | undefined, change: { failed?: boolean; selected?: string } = {}) {
  const onSelect = vi.fn();
  const selected = groups
    ?.flatMap(({ deviceList }) => deviceList)
    .find(({ deviceName }) => deviceName === change.selected);
  renderWithProviders(
    <DeviceList
      groups={groups}
      failed={change.failed ?? false}
      selected={change.selected}
      device={selected}
      onSelect={onSelect}
    />,
  );
  return { onSelect, user: userEvent.setup() };
}

const names = () => screen.getAllByRole('treeitem').map((row) => row.textContent ?? '');

beforeEach(() => {
  signedIn();
  server = telemetryServer();
});

describe('the device list', () => {
  it('has all groups open at first, the default group too, and closes and opens them', async () => {
    const { user } = draw([
      group({ id: 0, groupName: '', deviceList: some(1, 1, 0) }),
      group({ deviceList: some(5, 2) }),
    ]);
    expect(screen.getByText('Mast 1')).toBeVisible();
    await user.click(screen.getByRole('treeitem', { name: /Default group/ }));
    expect(screen.queryByText('Mast 1')).toBeNull();
    await user.click(screen.getByRole('treeitem', { name: /Default group/ }));
    expect(screen.getByText('Mast 1')).toBeVisible();
    await user.click(screen.getByRole('treeitem', { name: /North orchard/ }));
    expect(screen.queryByText('Mast 5')).toBeNull();
  });

  it('opens the group of a device that was selected elsewhere', () => {
    draw([group({ id: 0, groupName: '', deviceList: some(1, 1, 0) }), group({ deviceList: some(5, 2) })], {
      selected: 'WS-1',
    });
    expect(screen.getByRole('treeitem', { name: /Mast 1/ })).toHaveAttribute('aria-selected', 'true');
  });

  it('fetches the next hundred of a group', async () => {
    const all = some(1, 150);
    server.groups = [group({ deviceList: all })];
    const { user } = draw([group({ deviceCount: 150, deviceList: all.slice(0, 100) })]);
    fireEvent.keyDown(screen.getByRole('tree'), { key: 'End' });
    await user.click(screen.getByRole('treeitem', { name: 'Show 50 more of 50' }));
    await waitFor(() => expect(screen.queryByRole('treeitem', { name: /Show|Loading/ })).toBeNull());
    fireEvent.keyDown(screen.getByRole('tree'), { key: 'End' });
    expect(screen.getByRole('treeitem', { name: /Mast 150/ })).toHaveAttribute('aria-posinset', '150');
    const asked = server.calls.at(-1)?.searchParams;
    expect(Object.fromEntries(asked ?? [])).toEqual({ groupId: '1', pageNo: '2', pageSize: '100' });
  });

  it('shows an error if the next hundred cannot be fetched, and retries', async () => {
    const all = some(1, 102);
    server.groups = [group({ deviceList: all })];
    server.failingPaths.set(page, noAnswer);
    const { user } = draw([group({ deviceCount: 102, deviceList: all.slice(0, 100) })]);
    fireEvent.keyDown(screen.getByRole('tree'), { key: 'End' });
    await user.click(screen.getByRole('treeitem', { name: /Show 2 more/ }));
    const again = await screen.findByRole('treeitem', { name: 'Could not be fetched. Try again' });
    server.failingPaths.clear();
    await user.click(again);
    await waitFor(() => expect(names().some((name) => name.includes('Could not'))).toBe(false));
  });

  it('shows placeholders while it loads', () => {
    draw(undefined);
    expect(screen.getByRole('status')).toHaveTextContent('Loading');
    expect(screen.queryByRole('tree')).toBeNull();
  });

  it('says that it could not be fetched', () => {
    draw(undefined, { failed: true });
    expect(screen.getByText('The devices could not be fetched')).toBeVisible();
  });

  it('says why it is empty, and offers nothing to press', () => {
    draw([group({ id: 0, groupName: '' })]);
    expect(screen.getByText('No devices yet')).toBeVisible();
    expect(screen.getByText('Devices appear here as soon as your provider has added them.')).toBeVisible();
    expect(screen.getAllByRole('button')).toHaveLength(1);
  });
});

describe('the search', () => {
  const groups = [group({ deviceList: some(1, 3) })];

  it('requests the typed text once and shows the results without groups', async () => {
    server.groups = [group({ deviceList: some(1, 30) })];
    const { user, onSelect } = draw(groups);
    await user.click(screen.getByRole('button', { name: 'Search devices' }));
    expect(screen.getByRole('textbox', { name: 'Search devices' })).toHaveFocus();
    await user.type(screen.getByRole('textbox'), 'mast 2');
    const found = await screen.findByRole('tree', { name: 'Devices called “mast 2”' });
    expect(found).toBeVisible();
    expect(names()).toHaveLength(11);
    expect(screen.getByRole('status')).toHaveTextContent('11 devices found');
    expect(server.calls.map(({ search }) => search)).toEqual(['?deviceName=mast%202&pageNo=1&pageSize=100']);
    await user.click(screen.getByRole('treeitem', { name: /Mast 22/ }));
    expect(onSelect).toHaveBeenCalledExactlyOnceWith('WS-22');
  });

  it('says that nothing matches, and leads back', async () => {
    server.groups = groups;
    const { user } = draw(groups);
    await user.click(screen.getByRole('button', { name: 'Search devices' }));
    await user.type(screen.getByRole('textbox'), 'row 99');
    expect(await screen.findByText('No device is called “row 99”')).toBeVisible();
    expect(screen.getByText('Remark name, device name and serial were searched.')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Clear the search' }));
    expect(screen.getByRole('treeitem', { name: /Mast 1/ })).toBeInTheDocument();
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  it('is closed by Escape', async () => {
    const { user } = draw(groups);
    await user.click(screen.getByRole('button', { name: 'Search devices' }));
    await user.keyboard('{Escape}');
    expect(screen.getByRole('heading', { name: 'Devices' })).toBeVisible();
  });

  it('fetches the next hundred results', async () => {
    server.groups = [group({ deviceList: some(1, 130) })];
    const { user } = draw(groups);
    await user.click(screen.getByRole('button', { name: 'Search devices' }));
    await user.type(screen.getByRole('textbox'), 'mast');
    await screen.findByRole('tree', { name: /called/ });
    fireEvent.keyDown(screen.getByRole('tree'), { key: 'End' });
    await user.click(screen.getByRole('treeitem', { name: 'Show 30 more of 30' }));
    await waitFor(() => expect(screen.queryByRole('treeitem', { name: /Show|Loading/ })).toBeNull());
    expect(screen.getAllByRole('treeitem')[0]).toHaveAttribute('aria-setsize', '130');
  });

  it('shows an error and can be retried', async () => {
    server.groups = groups;
    server.failingPaths.set(page, noAnswer);
    const { user } = draw(groups);
    await user.click(screen.getByRole('button', { name: 'Search devices' }));
    await user.type(screen.getByRole('textbox'), 'mast');
    expect(await screen.findByRole('alert')).toHaveTextContent('Cannot connect to the server');
    server.failingPaths.clear();
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('treeitem', { name: /Mast 2/ })).toBeInTheDocument();
  });
});

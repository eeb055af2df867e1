import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Device } from '@/lib/device/types';
import { useFeedback } from '@/lib/feedback/feedback';
import {
  camera,
  cardNames,
  dataCentreServer,
  devicePath,
  mast,
  offlineMast,
  openDataCentre,
  row,
  unreadProbe,
} from '@/test/dataCentreServer';
import { ok, onGet } from '@/test/server';

// The history has its own tests.
vi.mock('./history/HistoryDialog', () => ({
  HistoryDialog: ({ device: of, open, onClose }: { device: Device; open: boolean; onClose: () => void }) =>
    open ? (
      <div role="dialog" aria-label={`History of ${of.noteName}`}>
        <button type="button" onClick={onClose}>
          Close the history
        </button>
      </div>
    ) : null,
}));

beforeEach(() => {
  window.history.replaceState(null, '', '/');
});

describe('ticking', () => {
  it('shows one device alone, then a second one with it, and all again', async () => {
    const { user, router } = await openDataCentre(dataCentreServer());
    await user.click(row(/Orchard mast/));
    await waitFor(() => expect(cardNames()).toEqual(['Orchard mast']));
    expect(router.state.location.search).toEqual({ devices: 'WS-1' });
    expect(row(/Orchard mast/)).toHaveAttribute('aria-checked', 'true');
    expect(row(/North orchard/)).toHaveAttribute('aria-checked', 'mixed');
    expect(screen.getByText('1 of 4 devices shown')).toBeVisible();
    await user.click(row(/Gate camera/));
    await waitFor(() => expect(cardNames()).toEqual(['Orchard mast', 'Gate camera']));
    await user.click(screen.getByRole('button', { name: 'All devices' }));
    await waitFor(() => expect(cardNames()).toHaveLength(4));
    expect(router.state.location.search).toEqual({});
    expect(screen.getByRole('button', { name: 'All devices' })).toHaveAttribute('aria-pressed', 'true');
  });

  it('ticks a whole scene by keyboard and excludes one of its devices', async () => {
    const { user, router } = await openDataCentre(dataCentreServer());
    act(() => screen.getByRole('tree').focus());
    await user.keyboard('{ArrowDown} ');
    await waitFor(() => expect(cardNames()).toEqual(['Orchard mast', 'Lower mast']));
    expect(row(/North orchard/)).toHaveAttribute('aria-checked', 'true');
    await user.keyboard('{ArrowDown} ');
    await waitFor(() => expect(cardNames()).toEqual(['Lower mast']));
    expect(router.state.location.search).toEqual({ scenes: '1', except: 'WS-1' });
    // Enter opens and closes a scene; it does not tick it.
    await user.keyboard('{ArrowUp}{Enter}');
    expect(row(/North orchard/)).toHaveAttribute('aria-expanded', 'false');
    expect(router.state.location.search).toEqual({ scenes: '1', except: 'WS-1' });
  });

  it('ticks a scene by its checkbox without opening or closing it', async () => {
    const { user } = await openDataCentre(dataCentreServer());
    const box = row(/North orchard/).querySelector('[aria-hidden="true"] + [aria-hidden="true"]');
    await user.click(box as Element);
    await waitFor(() => expect(row(/North orchard/)).toHaveAttribute('aria-checked', 'true'));
    expect(row(/North orchard/)).toHaveAttribute('aria-expanded', 'true');
  });

  it('is kept in the address', async () => {
    await openDataCentre(dataCentreServer(), '/data?devices=WS-2');
    expect(cardNames()).toEqual(['Lower mast']);
  });

  it('says that the chosen devices no longer exist and offers to show all', async () => {
    const { user } = await openDataCentre(dataCentreServer(), '/data?devices=GONE');
    expect(await screen.findByRole('heading', { name: 'No device to show' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Show all devices' }));
    await waitFor(() => expect(cardNames()).toHaveLength(4));
  });
});

describe('the list', () => {
  it('and the cards are searched', async () => {
    const centre = dataCentreServer();
    const { user } = await openDataCentre(centre);
    await user.type(screen.getByRole('textbox', { name: 'Search devices' }), 'lower');
    await waitFor(() => expect(screen.getAllByRole('treeitem')).toHaveLength(1));
    expect(centre.asked('/page').at(-1)?.get('deviceName')).toBe('lower');
    await waitFor(() => expect(cardNames()).toEqual(['Lower mast']));
    expect(screen.getByText('1 of 4 devices shown')).toBeVisible();
    await user.clear(screen.getByRole('textbox', { name: 'Search devices' }));
    await waitFor(() => expect(cardNames()).toHaveLength(4));
    await user.type(screen.getByRole('textbox', { name: 'Search devices' }), 'nobody');
    expect(await screen.findByText('No device is called “nobody”', { selector: 'h3' })).toBeVisible();
    expect(cardNames()).toEqual([]);
  });

  it('and the cards are filtered by state', async () => {
    const centre = dataCentreServer();
    centre.server.otherDevices = [];
    const { user, router } = await openDataCentre(centre);
    onGet(`${devicePath}/page`, ({ request }) => {
      const search = new URL(request.url).searchParams;
      centre.server.calls.push(new URL(request.url));
      const list = [mast, offlineMast, unreadProbe, camera].filter(
        ({ onlineState, groupId, serial }) =>
          (!search.has('onlineState') || String(onlineState) === search.get('onlineState')) &&
          (!search.has('groupId') || String(groupId) === search.get('groupId')) &&
          serial.includes(search.get('deviceName') ?? ''),
      );
      return ok({ list, total: list.length });
    });
    await user.click(screen.getByRole('radio', { name: 'Offline' }));
    await waitFor(() => expect(cardNames()).toEqual(['Lower mast']));
    expect(screen.getAllByRole('treeitem')).toHaveLength(1);
    expect(router.state.location.search).toEqual({ state: 'offline' });
    expect(screen.getByText('1 of 4 devices shown')).toBeVisible();
    await user.click(screen.getByRole('radio', { name: 'Online' }));
    await waitFor(() => expect(cardNames()).toEqual(['Orchard mast', 'Gate camera', 'New probe']));
  });
});

describe('the history', () => {
  it('opens from a card, is kept in the address, and closes', async () => {
    const { user, router } = await openDataCentre(dataCentreServer(), '/data?scenes=1');
    await user.click(screen.getByRole('link', { name: 'History of Orchard mast' }));
    const dialog = await screen.findByRole('dialog', { name: 'History of Orchard mast' });
    expect(router.state.location.search).toEqual({ scenes: '1', device: 'WS-1', history: 1 });
    await user.click(within(dialog).getByRole('button', { name: 'Close the history' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(router.state.location.search).toEqual({ scenes: '1' });
  });

  it('opens from the address alone', async () => {
    await openDataCentre(dataCentreServer(), '/data?device=WS-2&history=1');
    expect(await screen.findByRole('dialog', { name: 'History of Lower mast' })).toBeVisible();
  });

  it('shows a message instead for an unknown device', async () => {
    const { router } = await openDataCentre(dataCentreServer(), '/data?device=GONE&history=1');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(useFeedback.getState().toasts).toMatchObject([{ tone: 'warning', title: 'Not in this farm' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

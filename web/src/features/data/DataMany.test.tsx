import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  cardNames,
  cardsOf,
  dataCentreServer,
  devicePath,
  freshContact,
  grid,
  openDataCentre,
  scrollTo,
} from '@/test/dataCentreServer';
import { ok, onGet } from '@/test/server';
import { device, group } from '@/test/telemetryServer';

beforeEach(() => {
  window.history.replaceState(null, '', '/');
});

describe('a thousand devices', () => {
  const many = Array.from({ length: 1000 }, (_, i) =>
    device({ id: 1000 + i, deviceName: `D-${i}`, noteName: `Device ${i}`, groupId: 1, ...freshContact }),
  );
  const thousand = () => {
    const centre = dataCentreServer([
      group({ id: 0, groupName: '' }),
      group({ deviceCount: 1000, deviceList: many.slice(0, 100) }),
    ]);
    centre.server.otherDevices = many.slice(100);
    return centre;
  };
  const pages = (centre: ReturnType<typeof dataCentreServer>) =>
    centre
      .asked('/page')
      .filter((search) => search.has('groupId'))
      .map((search) => Number(search.get('pageNo')));

  it('render what is in view and fetch only its pages', async () => {
    const centre = thousand();
    await openDataCentre(centre);
    expect(screen.getByText('1,000 devices')).toBeVisible();
    expect(cardNames().length).toBeLessThan(20);
    expect(pages(centre)).toEqual([]);
    // 334 rows of three cards.
    expect(grid()).toHaveStyle({ minHeight: `${44 + 334 * 384 - 16}px` });
    scrollTo(200 * 384);
    await screen.findByRole('article', { name: 'Device 600' });
    expect(cardNames().length).toBeLessThan(20);
    expect(new Set(pages(centre))).toEqual(new Set([6, 7]));
    expect(centre.asked('/format-map/time-interval-data').length).toBeLessThan(40);
  });

  it('keep their places while they load', async () => {
    const centre = thousand();
    await openDataCentre(centre);
    onGet(`${devicePath}/page`, () => new Promise<never>(() => undefined));
    scrollTo(200 * 384);
    await waitFor(() => expect(cardNames()).toEqual([]));
    expect(cardsOf('North orchard').children.length).toBeGreaterThan(9);
    expect(grid()).toHaveStyle({ minHeight: `${44 + 334 * 384 - 16}px` });
  });

  it('keep the focus when the focused card is scrolled out of sight', async () => {
    const { user } = await openDataCentre(thousand());
    const link = screen.getByRole('link', { name: 'History of Device 1' });
    act(() => link.focus());
    scrollTo(200 * 384);
    await screen.findByRole('article', { name: 'Device 600' });
    expect(screen.getByRole('link', { name: 'History of Device 1' })).toHaveFocus();
    // The card's last link, and out of the card.
    await user.tab();
    expect(screen.getByRole('article', { name: 'Device 1' })).toContainElement(document.activeElement as HTMLElement);
    await user.tab();
    await waitFor(() => expect(screen.queryByRole('article', { name: 'Device 1' })).toBeNull());
  });
});

describe('sixty cameras', () => {
  const sixty = Array.from({ length: 60 }, (_, i) =>
    device({
      id: 3000 + i,
      deviceName: `CAM-${i}`,
      serial: `SXT-${i}`,
      noteName: `Camera ${i}`,
      type: 2,
      lastData: [],
    }),
  );

  it('are queried only when they come near the view', async () => {
    const centre = dataCentreServer([group({ deviceList: sixty })]);
    onGet(`${devicePath}/get/video`, ({ request }) => {
      const name = new URL(request.url).searchParams.get('deviceName') ?? '';
      centre.asks.push(name);
      return ok({ kind: name === 'CAM-55' ? 'none' : 'embed', url: '/picture' });
    });
    await openDataCentre(centre);
    await waitFor(() => expect(centre.asks.length).toBeGreaterThanOrEqual(24));
    expect(centre.asks.length).toBeLessThan(32);
    expect(centre.asks).not.toContain('CAM-55');
    // Bands of two rows, with one camera each.
    expect(grid()).toHaveStyle({ minHeight: `${44 + 60 * 2 * 384 - 16}px` });
    scrollTo(40 * 2 * 384);
    await waitFor(() => expect(grid()).toHaveStyle({ minHeight: `${44 + 59 * 2 * 384 - 16}px` }));
    expect(await screen.findByRole('article', { name: 'Camera 40' })).toBeVisible();
  });
});

import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderWithProviders } from '@/test/renderWithProviders';
import { signedIn } from '@/test/session';
import { type TelemetryServer, telemetryServer } from '@/test/telemetryServer';
import { MapCard } from './MapCard';

const state = vi.hoisted(() => ({ fails: false, tiles: undefined as unknown }));

// Leaflet needs a browser's layout; here only its props are checked.
vi.mock('./DeviceMap', () => ({
  DeviceMap: ({ tiles }: { tiles: unknown }) => {
    if (state.fails) throw new Error('chunk');
    state.tiles = tiles;
    return <p>the map</p>;
  },
}));

let server: TelemetryServer;

/** Opens the card on a page, whose address it reads. */
function openCard() {
  const card = () => (
    <MapCard data={undefined} groups={undefined} selected={undefined} device={undefined} onSelect={() => undefined} />
  );
  const router = createRouter({ routeTree: createRootRoute({ component: card }), history: createMemoryHistory() });
  renderWithProviders(<RouterProvider router={router as never} />);
}

beforeEach(() => {
  state.fails = false;
  signedIn();
  server = telemetryServer();
});

describe('the map', () => {
  it('is shown with its legend, whose marks have texts', async () => {
    openCard();
    expect(await screen.findByRole('region', { name: 'Map' })).toHaveTextContent('OnlineOfflinePending alarm');
    expect(await screen.findByText('the map')).toBeVisible();
    expect(state.tiles).toBeNull();
  });

  it('is drawn without tiles if the settings cannot be fetched', async () => {
    server.failingPaths.set('/admin-api/system/console/settings', () => new Response('{', { status: 500 }));
    openCard();
    expect(await screen.findByText('the map')).toBeVisible();
  });

  it('leaves the page intact if it cannot be loaded, and can be retried', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    state.fails = true;
    openCard();
    expect(await screen.findByRole('alert')).toHaveTextContent('The map did not arrive');
    expect(screen.getByText('Online')).toBeVisible();
    state.fails = false;
    await userEvent.setup().click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('the map')).toBeVisible();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

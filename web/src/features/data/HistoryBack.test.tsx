import { createBrowserHistory } from '@tanstack/react-router';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openConsole } from '@/test/console';
import { dataCentreServer } from '@/test/dataCentreServer';
import { historyServer } from '@/test/historyServer';
import { signedIn } from '@/test/session';

// These tests do not look at the chart.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null, prepareChart: () => undefined }));

// jsdom has no animations, so it reports no end of them.
vi.mock('@/ui/dialogMotion', () => ({ dialogMotion: { transitionName: '', maskTransitionName: '' } }));

const address = '/data?device=WS-1&history=1';
const at = () => `${window.location.pathname}${window.location.search}`;
let history: ReturnType<typeof createBrowserHistory>;

// The lazily loaded parts are loaded beforehand, so that the first test does not wait for them.
beforeAll(() => Promise.all([import('./DataPage'), import('./history/HistoryDialog')]), 60_000);
beforeEach(() => {
  dataCentreServer();
  historyServer();
  signedIn();
  window.history.replaceState(null, '', '/data');
});
afterEach(() => history.destroy());

/** The data centre in the browser's own history, with a device's history open. */
async function open() {
  const person = userEvent.setup();
  history = createBrowserHistory();
  const { router } = await openConsole('/data', history);
  await act(() => router.navigate({ to: '/data', search: { device: 'WS-1', history: 1 } }));
  const dialog = await screen.findByRole('dialog', { name: /History of Orchard mast/ });
  await screen.findByRole('checkbox', { name: /^Air temperature/ });
  return { person, dialog };
}
const question = async () =>
  within((await screen.findByText("Are you sure it's off?")).closest('[role=dialog]') as HTMLElement);

it('asks before the browser’s Back closes it; if the user stays, address and dialog are unchanged', async () => {
  const { person, dialog } = await open();
  await person.click(screen.getByRole('checkbox', { name: /^Pump/ }));
  act(() => window.history.back());
  const asked = await question();
  await waitFor(() => expect(at()).toBe(address));
  await person.click(asked.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByText("Are you sure it's off?")).not.toBeInTheDocument());
  expect(at()).toBe(address);
  expect(dialog).toBeInTheDocument();
  expect(screen.getByRole('checkbox', { name: /^Pump/ })).toBeChecked();
});

it('goes back after confirmation, and asks again each time', async () => {
  const { person } = await open();
  act(() => window.history.back());
  await person.click((await question()).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByText("Are you sure it's off?")).not.toBeInTheDocument());
  act(() => window.history.back());
  await person.click((await question()).getByRole('button', { name: 'Close the history' }));
  await waitFor(() => expect(at()).toBe('/data'));
});

it('closes by its button without asking twice', async () => {
  const { person, dialog } = await open();
  await person.click(within(dialog).getByRole('button', { name: 'Close' }));
  await person.click((await question()).getByRole('button', { name: 'Close the history' }));
  await waitFor(() => expect(at()).toBe('/data'));
});

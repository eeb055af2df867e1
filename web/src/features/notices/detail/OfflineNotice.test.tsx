import 'fake-indexeddb/auto';
import type { QueryClient } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { createStore, entries } from 'idb-keyval';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startAnswerCache } from '@/lib/offline/answerCache';
import { databaseName } from '@/lib/offline/answerStore';
import { noteNetworkChange } from '@/lib/offline/reachability';
import { openConsole } from '@/test/console';
import { drawnLines } from '@/test/drawnChart';
import { noticePart, noticeRegion, noticeServer, openNotices } from '@/test/noticeServer';
import { toasts } from '@/test/profileServer';
import { ack, type Detail, detailOf, type Notice, notice } from '@/test/samples';
import { withoutNetwork } from '@/test/server';

vi.mock('@/ui/chart/Chart', () => import('@/test/drawnChart'));

let network = true;
const stops: (() => void)[] = [];

beforeEach(() => {
  network = true;
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => network);
  // Each test has its own browser storage.
  vi.stubGlobal('indexedDB', new IDBFactory());
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.unstubAllGlobals();
});

/** The machine loses its network, or has one again. */
const setNetwork = (there: boolean) => {
  network = there;
  act(noteNetworkChange);
};

const stored = async () => JSON.stringify(await entries(createStore(databaseName, 'answers')));

/** Stores answers as in the app; those on the screen are fetched again, and so stored or restored. */
async function keepAnswers(client: QueryClient): Promise<void> {
  stops.push(startAnswerCache(client));
  await act(() => client.invalidateQueries());
}

const delivery: Detail['deliveries'][number] = {
  id: 1,
  channel: 'Night crew',
  recipient: 'ada@farm.example',
  people: ['Ada Lovelace'],
  mode: 'email',
  event: 'triggered',
  state: 'sent',
  attempts: 1,
  createTime: 1000,
  updateTime: 2000,
  steps: [],
};

/** Opens two notices' page and the first notice, and waits until it is stored. */
async function openAndKeep(): Promise<void> {
  const one = notice();
  const server = noticeServer([one, notice({ id: 2, title: 'Another frost' })]);
  server.details.set(1, detailOf(one, { deliveries: [delivery] }));
  const { client } = await openNotices(server, '/inform?id=1');
  expect(noticePart('Who was told').getByText('Ada Lovelace')).toBeVisible();
  await keepAnswers(client);
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  document.dispatchEvent(new Event('visibilitychange'));
  await waitFor(async () => expect(await stored()).toContain('Light the heaters.'));
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(false);
  for (const stop of stops.splice(0)) stop();
  cleanup();
}

/** Opens an address without a network. */
async function openOffline(address: string): Promise<void> {
  withoutNetwork();
  noteNetworkChange();
  const { client } = await openConsole(address);
  await keepAnswers(client);
}

describe('without a network a notice', () => {
  it('that was opened on this device keeps everything but its recipients', async () => {
    await openAndKeep();
    expect(await stored()).not.toMatch(/ada@farm|Ada Lovelace|Night crew/);

    await openOffline('/inform?id=1');
    expect(await noticeRegion().findByText('Light the heaters.')).toBeVisible();
    expect(noticeRegion().getByText(/^As of \d\d:\d\d$/)).toBeVisible();
    expect(noticeRegion().getByRole('heading', { name: 'Conditions' }).parentElement).toHaveTextContent(
      /Air temperature below 2\s°C/,
    );
    expect(await noticeRegion().findByText(/^1\.2\s°C/)).toBeVisible();
    await waitFor(() => expect(drawnLines()[0]?.length).toBeGreaterThan(5));
    expect(noticePart('Who was told').getByText('Not kept on this device')).toBeVisible();
    expect(noticeRegion().queryByText('Nobody was told')).toBeNull();
  });

  it('that was never opened here says so', async () => {
    await openAndKeep();
    await openOffline('/inform?id=2');
    expect(await noticeRegion().findByText('This alarm was not opened on this device')).toBeVisible();
    expect(noticeRegion().getByText('It comes as soon as there is a connection.')).toBeVisible();
  });
});

describe('without a network an action', () => {
  const told = 'Not sent. Others are still told.';
  const unchanged = 'Not sent. Nothing has changed.';

  async function open(one: Notice = notice()) {
    const server = noticeServer([one]);
    const opened = await openNotices(server, '/inform?id=1');
    // An answer that comes late would count as a network.
    await waitFor(() => expect(opened.client.isFetching()).toBe(0));
    return { server, ...opened };
  }

  it.each([
    ['I am on it', notice(), told],
    ['Mark as solved', notice(), told],
    ['Mark as solved', notice({ ack: ack() }), unchanged],
    ['Change', notice({ ack: ack() }), unchanged],
    ['Take back', notice({ ack: ack() }), unchanged],
  ] as const)('(%s) opens nothing, says that it is not sent, and is not sent later', async (name, one, words) => {
    const { server, user, client } = await open(one);
    const button = noticeRegion().getByRole('button', { name });
    // At once: a stream that opens meanwhile would count as a network.
    setNetwork(false);
    fireEvent.click(button);
    expect(toasts()).toMatchObject([{ tone: 'warning', title: words }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    setNetwork(true);
    await act(() => client.invalidateQueries());
    expect(server.sent).toEqual([]);
    await user.click(noticeRegion().getByRole('button', { name }));
    expect(await screen.findByRole('dialog')).toBeVisible();
  });

  it.each(['I am on it', 'Mark as solved'])('in the open dialog (%s) keeps what was typed', async (name) => {
    const { server, user } = await open();
    await user.click(noticeRegion().getByRole('button', { name }));
    const dialog = within(await screen.findByRole('dialog', { name }));
    await user.type(dialog.getByRole('textbox'), 'On my way');
    expect(dialog.queryByText(told)).toBeNull();
    setNetwork(false);
    expect(dialog.getByText(told)).toBeVisible();
    expect(dialog.getByRole('button', { name: /Needs a connection/ })).toBeDisabled();
    fireEvent.keyDown(dialog.getByRole('textbox'), { key: 'Enter', ctrlKey: true });
    expect(server.sent).toEqual([]);
    setNetwork(true);
    expect(dialog.getByRole('textbox')).toHaveValue('On my way');
    expect(dialog.queryByText(told)).toBeNull();
    await user.click(dialog.getByRole('button', { name }));
    await waitFor(() => expect(server.sent).toMatchObject([{ id: 1 }]));
  });
});

import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { gate } from '@/test/gate';
import { setWidth } from '@/test/mediaQueries';
import {
  credential,
  openProfile,
  paths,
  profileServer,
  sentTo,
  toasts,
  waitForDialogClosed,
} from '@/test/profileServer';
import { ok, refused } from '@/test/server';
import { forgetSecret } from './freshSecret';

beforeEach(forgetSecret);

const dialog = () => within(screen.getByRole('dialog'));
const row = (name: string) => screen.getByRole('rowheader', { name }).closest('tr') as HTMLElement;
const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);

async function open(change: Parameters<typeof profileServer>[0] = {}) {
  const server = profileServer({
    credentials: [
      credential(1, { name: 'Pumps', lastUseTime: Date.now() - 120_000, requests24h: 1440, requests30d: 38_110 }),
      credential(2, { enabled: 0 }),
    ],
    ...change,
  });
  return { server, ...(await openProfile('/profile?tab=app')) };
}

describe('the list', () => {
  it('shows each key with its state as a word, its creation and its last use', async () => {
    await open();
    await screen.findByText('Pumps');
    expect(within(row('Pumps')).getByText('Open', { selector: 'td > span' })).toBeVisible();
    expect(row('Pumps')).toHaveTextContent('tk_1');
    expect(row('Pumps')).toHaveTextContent(/Mar 12/);
    expect(row('Pumps')).toHaveTextContent('Last used 2 min ago');
    expect(screen.getByRole('columnheader', { name: 'Requests' })).toBeVisible();
    expect(row('Pumps')).toHaveTextContent('24 h: 1,440');
    expect(row('Pumps')).toHaveTextContent('30 d: 38,110');
    expect(row('Key 2')).toHaveTextContent('24 h: 0');
    expect(screen.getByRole('link', { name: 'API reference' })).toHaveAttribute('href', '/open-api/');
    expect(within(row('Key 2')).getByText('Closed')).toBeVisible();
    expect(row('Key 2')).toHaveTextContent('Never used');
    expect(screen.getByText('1–2 of 2')).toBeVisible();
  });

  it('shows the same content as cards on a phone', async () => {
    setWidth(390);
    await open();
    const card = (await screen.findByRole('heading', { name: 'Pumps' })).closest('li') as HTMLElement;
    expect(screen.queryByRole('table')).toBeNull();
    expect(card).toHaveTextContent('tk_1');
    expect(card).toHaveTextContent('Requests24 h: 1,44030 d: 38,110');
    expect(within(card).getByRole('button', { name: 'Close: Pumps' })).toBeVisible();
    expect(within(card).getByRole('button', { name: 'Delete: Pumps' })).toBeVisible();
  });

  it('offers the next action if it is empty', async () => {
    const { person } = await open({ credentials: [] });
    expect(await screen.findByRole('heading', { name: 'No keys yet' })).toBeVisible();
    expect(screen.queryByRole('table')).toBeNull();
    await person.click(screen.getByRole('button', { name: 'New key' }));
    expect(screen.getByRole('dialog')).toHaveAccessibleName('New key');
  });

  it('has pages of 10, 100, 200, 300 or 400 keys', async () => {
    const credentials = Array.from({ length: 23 }, (_, index) => credential(index + 1));
    const { server, person } = await open({ credentials });
    expect(await screen.findByText('1–10 of 23')).toBeVisible();
    await person.click(screen.getByTitle('3'));
    expect(await screen.findByText('21–23 of 23')).toBeVisible();
    await waitFor(() => expect(names()).toEqual(['Key 21', 'Key 22', 'Key 23']));
    const size = screen.getByRole('combobox', { name: 'Rows on a page' });
    const sizes = within(size).getAllByRole('option');
    expect(sizes.map((option) => (option as HTMLOptionElement).value)).toEqual(['10', '100', '200', '300', '400']);
    await person.selectOptions(size, '100');
    expect(await screen.findByText('1–23 of 23')).toBeVisible();
    await waitFor(() => expect(names()).toHaveLength(23));
    expect(sentTo(server, paths.page)).toEqual([
      { pageNo: '1', pageSize: '10' },
      { pageNo: '3', pageSize: '10' },
      { pageNo: '1', pageSize: '100' },
    ]);
  });

  it('shows that it is loading, and an error if it cannot be fetched', async () => {
    const answer = gate();
    const server = profileServer({ credentials: [credential(1)] });
    server.answers.set(paths.page, async () => {
      await answer.passed;
      return refused(500, 'The server is at fault');
    });
    const { person } = await openProfile('/profile?tab=app');
    expect(screen.getByText('Loading')).toBeInTheDocument();
    answer.open();
    const note = (await screen.findByText('The keys could not be fetched')).closest('[role=alert]') as HTMLElement;
    expect(note).toHaveTextContent('The server is at fault');
    expect(toasts()).toEqual([{ tone: 'error', title: 'The server is at fault', text: undefined }]);
    server.answers.clear();
    await person.click(within(note).getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('Key 1')).toBeVisible();
    expect(screen.queryByText('The keys could not be fetched')).toBeNull();
  });
});

describe('opening and closing', () => {
  it('asks for confirmation and states the consequence', async () => {
    const { server, person } = await open();
    await person.click(await screen.findByRole('button', { name: 'Close: Pumps' }));
    expect(screen.getByRole('dialog')).toHaveAccessibleName('Change the state of “Pumps”?');
    expect(dialog().getByText(/^Programs that use this key are refused/)).toBeInTheDocument();
    await person.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(sentTo(server, paths.toggle)).toEqual([]);
    await waitForDialogClosed();
    await person.click(screen.getByRole('button', { name: 'Close: Pumps' }));
    await person.click(dialog().getByRole('button', { name: 'Close key' }));
    await waitForDialogClosed();
    expect(sentTo(server, paths.toggle)).toEqual([{ id: '1', enabled: '0' }]);
    expect(within(row('Pumps')).getByText('Closed')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Open: Pumps' })).toBeVisible();
  });

  it('keeps a key closed that is closed twice, as after a lost answer', async () => {
    const { server, person } = await open();
    await person.click(await screen.findByRole('button', { name: 'Close: Pumps' }));
    server.credentials = server.credentials.map((credential) =>
      credential.name === 'Pumps' ? { ...credential, enabled: 0 } : credential,
    );
    await person.click(dialog().getByRole('button', { name: 'Close key' }));
    await waitForDialogClosed();
    expect(within(row('Pumps')).getByText('Closed')).toBeVisible();
  });

  it('shows a failure and can be tried again', async () => {
    const { server, person } = await open();
    server.answers.set(paths.toggle, () => refused(500, 'The server is at fault'));
    await person.click(await screen.findByRole('button', { name: 'Open: Key 2' }));
    await person.click(dialog().getByRole('button', { name: 'Open key' }));
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'error', title: 'Could not save', text: 'The server is at fault' }]),
    );
    server.answers.clear();
    await person.click(dialog().getByRole('button', { name: 'Open key' }));
    await waitForDialogClosed();
    expect(within(row('Key 2')).getByText('Open', { selector: 'td > span' })).toBeVisible();
  });
});

describe('deleting', () => {
  it('asks for confirmation and removes the row', async () => {
    const { server, person } = await open();
    await person.click(await screen.findByRole('button', { name: 'Delete: Pumps' }));
    expect(screen.getByRole('dialog')).toHaveAccessibleName('Delete “Pumps”?');
    await person.click(dialog().getByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
    expect(sentTo(server, paths.remove)).toEqual([]);
    await person.click(screen.getByRole('button', { name: 'Delete: Pumps' }));
    await person.click(dialog().getByRole('button', { name: 'Delete key' }));
    await waitForDialogClosed();
    expect(sentTo(server, paths.remove)).toEqual([{ id: '1' }]);
    expect(names()).toEqual(['Key 2']);
  });

  it('leads to the previous page after the last key of the last page', async () => {
    const credentials = Array.from({ length: 11 }, (_, index) => credential(index + 1));
    const { person } = await open({ credentials });
    await person.click(await screen.findByTitle('2'));
    await person.click(await screen.findByRole('button', { name: 'Delete: Key 11' }));
    await person.click(dialog().getByRole('button', { name: 'Delete key' }));
    expect(await screen.findByText('1–10 of 10')).toBeVisible();
    await waitFor(() => expect(names()).toHaveLength(10));
  });
});

describe('a new key', () => {
  it('requires a name', async () => {
    const { server, person } = await open();
    await person.click(await screen.findByRole('button', { name: 'New key' }));
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), '  ');
    await person.click(dialog().getByRole('button', { name: 'Create key' }));
    expect(dialog().getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription('Please enter a name');
    expect(sentTo(server, paths.create)).toEqual([]);
  });

  it('is in the list if the answer was lost, with a warning against a second attempt', async () => {
    const { server, person } = await open();
    server.answers.set(paths.create, () => {
      server.credentials = [credential(3, { name: 'Lost' }), ...server.credentials];
      return HttpResponse.error();
    });
    await person.click(await screen.findByRole('button', { name: 'New key' }));
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Lost{Enter}');
    expect(await dialog().findByRole('alert')).toHaveTextContent(/It may have been saved all the same/);
    expect(await screen.findByRole('rowheader', { name: 'Lost', hidden: true })).toBeInTheDocument();
  });

  it('shows a failure to create it only in its dialog', async () => {
    const { server, person } = await open();
    server.answers.set(paths.create, () => refused(601, 'You already have 100 API credentials. Delete one first'));
    await person.click(await screen.findByRole('button', { name: 'New key' }));
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Pumps{Enter}');
    expect(await dialog().findByRole('alert')).toHaveTextContent(
      'Could not saveYou already have 100 API credentials. Delete one first',
    );
    expect(toasts()).toEqual([]);
    server.answers.set(paths.create, () => ok({ id: 9, name: 'P', appKey: 'k', appSecret: 's', enabled: 1 }));
  });
});

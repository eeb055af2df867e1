import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { findDialog } from '@/test/addServer';
import { setWidth } from '@/test/mediaQueries';
import { elifAsPerson, peoplePaths, peopleServer, person, personKey } from '@/test/peopleServer';
import { openProfile, sentTo, toasts, waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';
import type { PersonKey } from './queries';

const pump = personKey(31, {
  name: 'Pump house',
  role: 'owner',
  mayRole: 'viewer',
  scopes: ['read', 'webhooks'],
  lastUseTime: Date.now() - 120_000,
});
const screenKey = personKey(30, { name: 'Hall screen' });

async function openKeys(keys: PersonKey[] = [pump, screenKey], change = {}) {
  const ada = person(1, { nickname: 'Ada', keys: keys.length, ...change });
  const server = peopleServer([ada, elifAsPerson]);
  server.keys[1] = keys;
  const { person: user } = await openProfile('/profile?tab=people');
  const button = await screen.findByRole('button', { name: `${keys.length} API keys: Ada` });
  await user.click(button);
  return { server, user, button, dialog: within(await screen.findByRole('dialog', { name: 'API keys of Ada' })) };
}

const rows = (dialog: ReturnType<typeof within>) => dialog.findAllByRole('listitem');

describe('the keys of a person', () => {
  it('are offered only for people who have some', async () => {
    peopleServer([person(1, { nickname: 'Ada', keys: 1 }), elifAsPerson]);
    await openProfile('/profile?tab=people');
    expect(await screen.findByRole('button', { name: '1 API key: Ada' })).toHaveAttribute('aria-haspopup', 'dialog');
    expect(screen.queryByRole('button', { name: /API keys?: Elif/ })).toBeNull();
  });

  it('say what they were made for, what they may do now, until when, and when they were last used', async () => {
    const { dialog, server } = await openKeys();
    const [first, second] = await rows(dialog);
    expect(first).toHaveTextContent(
      `Pump house${pump.appKey}Last used 2 min agoOwnerRead, webhooksNow limited to: ViewerOpenDoes not expire`,
    );
    expect(second).toHaveTextContent(`Hall screen${screenKey.appKey}Never usedViewerReadOpenDoes not expire`);
    expect(dialog.queryByText(/lets? nobody in/)).toBeNull();
    expect(sentTo(server.profile, peoplePaths.keys)).toContainEqual({ id: '1', pageNo: '1', pageSize: '100' });
  });

  it('do nothing while the person cannot sign in', async () => {
    const { dialog } = await openKeys([pump, screenKey], { state: 'disabled' });
    expect(dialog.getByText(/the keys let nobody in/)).toBeVisible();
  });

  it('are deleted after a question, and the row says so', async () => {
    const { server, user, dialog } = await openKeys();
    await user.click(await dialog.findByRole('button', { name: 'Delete key: Pump house' }));
    const question = within(await findDialog('Delete “Pump house”?'));
    expect(question.getByText(/cannot be undone/)).toBeVisible();
    expect(sentTo(server.profile, peoplePaths.removeKey)).toEqual([]);
    await user.click(question.getByRole('button', { name: 'Delete key' }));
    await waitForDialogClosed(() => screen.queryByText('Delete “Pump house”?'));
    expect(sentTo(server.profile, peoplePaths.removeKey)).toEqual([{ id: '1', key: '31' }]);
    expect(toasts()).toMatchObject([{ title: 'The key “Pump house” was deleted' }]);
    await waitFor(async () => expect(await rows(dialog)).toHaveLength(1));
    await user.click(dialog.getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
    await waitForDialogClosed();
    expect(screen.getByRole('button', { name: '1 API key: Ada' })).toHaveFocus();
  });

  it('say that there are none left', async () => {
    const { user, dialog } = await openKeys([pump, screenKey]);
    for (const name of ['Pump house', 'Hall screen']) {
      await user.click(await dialog.findByRole('button', { name: `Delete key: ${name}` }));
      await user.click(within(await findDialog(`Delete “${name}”?`)).getByRole('button', { name: 'Delete key' }));
      await waitForDialogClosed(() => screen.queryByText(`Delete “${name}”?`));
    }
    expect(await dialog.findByText('No API keys')).toBeVisible();
    expect(screen.queryByRole('button', { name: /API keys?: Ada/ })).toBeNull();
  });

  it('show a refusal in the question, and can be fetched again after a failure', async () => {
    const { server, user, dialog } = await openKeys();
    server.profile.answers.set(peoplePaths.removeKey, () => refused(601, 'The provider manages the people'));
    await user.click(await dialog.findByRole('button', { name: 'Delete key: Pump house' }));
    const question = within(await findDialog('Delete “Pump house”?'));
    await user.click(question.getByRole('button', { name: 'Delete key' }));
    expect(await question.findByRole('alert')).toHaveTextContent('The provider manages the people');
    expect(toasts()).toEqual([]);
  });

  it('are reached on a phone, too', async () => {
    setWidth(390);
    const { dialog } = await openKeys();
    expect(await rows(dialog)).toHaveLength(2);
  });
});

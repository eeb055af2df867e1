import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { resetSentRequests } from '@/lib/http/duplicates';
import { setWidth } from '@/test/mediaQueries';
import { openProfile, toasts, waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';
import { type WebhookServer, webhook, webhookDelivery, webhookServer } from '@/test/webhookServer';
import { forgetWebhookSecret } from './freshSecret';

beforeEach(forgetWebhookSecret);

const card = (name: string) => screen.getByRole('heading', { name }).closest('li') as HTMLElement;
const press = (name: string, place = screen as Pick<typeof screen, 'getByRole'>) => place.getByRole('button', { name });
const fill = (place: Pick<typeof screen, 'getByLabelText'>, label: RegExp, value: string) => {
  fireEvent.change(place.getByLabelText(label), { target: { value } });
  fireEvent.blur(place.getByLabelText(label));
};
const sent = (server: WebhookServer, call: string) =>
  server.asked.filter((request) => request.call === call).map((request) => request.sent);

async function open(change: Parameters<typeof webhookServer>[0] = { webhooks: [webhook(1), webhook(2)] }) {
  const server = webhookServer(change);
  return { server, ...(await openProfile('/profile?tab=webhook')) };
}

describe('the list', () => {
  it('shows each webhook’s address, events and state', async () => {
    await open({
      webhooks: [
        webhook(1, { alarmLevel: 1, oldSecretUntil: new Date('2026-03-13T09:00:00').getTime() }),
        webhook(2, { events: ['resolved'], enabled: false, gone: true }),
      ],
    });
    await screen.findByRole('heading', { name: 'Hook 1' });
    expect(card('Hook 1')).toHaveTextContent('https://planner.example/hook/1');
    expect(card('Hook 1')).toHaveTextContent('Alarm begins, Alarm ends · Important and serious');
    expect(card('Hook 1')).toHaveTextContent(/former secret as well until Mar 13, 2026, 09:00/);
    expect(within(card('Hook 1')).getByText('On')).toBeVisible();
    expect(card('Hook 2')).toHaveTextContent('Alarm ends · All alarms');
    expect(within(card('Hook 2')).getByText('Off')).toBeVisible();
    expect(card('Hook 2')).toHaveTextContent('answered that it is gone (410)');
    expect(screen.getByRole('link', { name: 'How calls are signed' })).toHaveAttribute(
      'href',
      '/open-api/#createWebhook',
    );
  });

  it('shows at once that an answer of 410 disabled a webhook', async () => {
    const { server } = await open();
    await screen.findByRole('heading', { name: 'Hook 2' });
    server.webhooks = [webhook(1), webhook(2, { enabled: false, gone: true })];
    const before = sent(server, 'page').length;
    act(() => {
      const streamText = Array.from({ length: 40 }, (_, i) => `event: delivery\ndata: {"noticeId":${i}}\n\n`);
      server.live.newest()?.write(streamText.join(''));
    });
    expect(await within(card('Hook 2')).findByText(/answered that it is gone \(410\)/)).toBeVisible();
    expect(within(card('Hook 2')).getByText('Off')).toBeVisible();
    expect(sent(server, 'page').length).toBe(before + 1);
  });

  it('is refetched when the user comes back to it', async () => {
    const { server, person } = await open({ webhooks: [webhook(1)] });
    await screen.findByRole('heading', { name: 'Hook 1' });
    server.webhooks = [webhook(1, { enabled: false, gone: true })];
    act(() => {
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });
    expect(await within(card('Hook 1')).findByText('Off')).toBeVisible();
    server.webhooks = [webhook(1)];
    await person.click(screen.getByRole('tab', { name: 'Essential information' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Hook 1' })).toBeNull());
    await person.click(screen.getByRole('tab', { name: 'Webhooks' }));
    expect(await screen.findByText('On')).toBeVisible();
  });

  it('offers the next action if it is empty', async () => {
    const { person } = await open({ webhooks: [] });
    expect(await screen.findByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
    await person.click(press('New webhook'));
    expect(screen.getByRole('dialog')).toHaveAccessibleName('New webhook');
  });

  it('accepts no more than 20 webhooks', async () => {
    await open({ webhooks: Array.from({ length: 20 }, (_, i) => webhook(i + 1)) });
    expect(await screen.findByText(/There are 20 already, and there can be no more/)).toBeVisible();
    expect(press('New webhook')).toBeDisabled();
  });

  it('shows an error in its place if it cannot be fetched', async () => {
    const answers = new Map([['page', () => refused(500, 'The server is at fault')]]);
    const { person } = await open({ webhooks: [webhook(1)], answers });
    const note = (await screen.findByText('The webhooks could not be fetched')).closest('[role=alert]') as HTMLElement;
    expect(note).toHaveTextContent('The server is at fault');
    expect(toasts()).toEqual([{ tone: 'error', title: 'The server is at fault', text: undefined }]);
    answers.clear();
    await person.click(press('Retry', within(note)));
    expect(await screen.findByRole('heading', { name: 'Hook 1' })).toBeVisible();
  });
});

describe('a webhook', () => {
  it('shows missing fields in the form', async () => {
    const { server, person } = await open({ webhooks: [] });
    await person.click(await screen.findByRole('button', { name: 'New webhook' }));
    const dialog = within(screen.getByRole('dialog'));
    fireEvent.submit(dialog.getByLabelText(/^Name/));
    expect(dialog.getByLabelText(/^Name/)).toHaveAccessibleDescription('Please enter a name');
    expect(dialog.getByLabelText(/^Name/)).toHaveFocus();
    expect(dialog.getByLabelText(/^Address/)).toHaveAccessibleDescription('Please enter an address');
    fill(dialog, /^Address/, 'pumps.example');
    expect(dialog.getByLabelText(/^Address/)).toHaveAccessibleDescription('An address begins with https://');
    fireEvent.click(dialog.getByLabelText('Alarm begins'));
    fireEvent.click(dialog.getByLabelText('Alarm ends'));
    expect(dialog.getByLabelText('Alarm ends')).toHaveAccessibleDescription('Select at least one');
    expect(sent(server, 'create')).toEqual([]);
  });

  it('is not discarded by Escape once something was typed, only by a button', async () => {
    const { person } = await open();
    const add = await screen.findByRole('button', { name: 'New webhook' });
    await person.click(add);
    await person.keyboard('{Escape}');
    await waitForDialogClosed();
    await person.click(add);
    const dialog = within(await screen.findByRole('dialog'));
    await person.type(dialog.getByLabelText(/^Name/), 'Planner');
    await person.keyboard('{Escape}');
    expect(dialog.getByLabelText(/^Name/)).toHaveValue('Planner');
    await person.click(dialog.getByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
  });

  it('is created; its secret is shown once and stored nowhere', async () => {
    const { server, person, client } = await open({ webhooks: [] });
    await person.click(await screen.findByRole('button', { name: 'New webhook' }));
    const dialog = within(screen.getByRole('dialog'));
    fill(dialog, /^Name/, ' Pumps ');
    fill(dialog, /^Address/, 'https://pumps.example/a');
    fireEvent.click(dialog.getByLabelText('Alarm begins'));
    fireEvent.click(dialog.getByLabelText('Somebody is on it'));
    await person.selectOptions(dialog.getByLabelText('Which alarms'), 'Serious only');
    fireEvent.submit(dialog.getByLabelText(/^Name/));
    const secret = (await screen.findByText('Keep the secret now')).closest('[role=dialog]') as HTMLElement;
    expect(sent(server, 'create')).toEqual([
      {
        name: 'Pumps',
        url: 'https://pumps.example/a',
        events: ['resolved', 'acknowledged'],
        alarmLevel: 2,
        enabled: true,
      },
    ]);
    expect(secret).toHaveTextContent('The secret of “Pumps” signs what your program is sent.');
    expect(secret).toHaveTextContent('whsec_first');
    fireEvent.click(within(secret).getByLabelText('I have stored the secret'));
    fireEvent.click(within(secret).getByText('Done'));
    await waitForDialogClosed();
    expect(await screen.findByRole('heading', { name: 'Pumps' })).toBeVisible();
    expect(document.body.innerHTML).not.toContain('whsec_first');
    const kept = () =>
      JSON.stringify(
        client
          .getMutationCache()
          .getAll()
          .map(({ state }) => state),
      );
    await waitFor(() => expect(kept()).not.toContain('whsec_first'));
  });

  it('is changed, and the form shows the server’s refusals', async () => {
    const { server, person } = await open();
    await person.click(await screen.findByRole('button', { name: 'Edit webhook: Hook 1' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByLabelText(/^Address/)).toHaveValue('https://planner.example/hook/1');
    server.answers.set('update', () => refused(601, 'Address: needs the name of a host, not an IP address'));
    fill(dialog, /^Address/, 'https://10.0.0.1/');
    fireEvent.submit(dialog.getByLabelText(/^Name/));
    expect(await dialog.findByRole('alert')).toHaveTextContent('needs the name of a host, not an IP address');
    server.answers.clear();
    fill(dialog, /^Address/, 'https://new.example/');
    fireEvent.submit(dialog.getByLabelText(/^Name/));
    await waitForDialogClosed();
    expect(await screen.findByText('https://new.example/')).toBeVisible();
    expect(sent(server, 'update').at(-1)).toEqual({
      id: 1,
      name: 'Hook 1',
      url: 'https://new.example/',
      events: ['opened', 'resolved'],
      alarmLevel: 0,
      enabled: true,
    });
  });

  it('is disabled, gets a new secret, and is deleted', async () => {
    const { server, person } = await open();
    await person.click(await screen.findByRole('button', { name: 'Switch off: Hook 1' }));
    expect(await screen.findByRole('button', { name: 'Switch on: Hook 1' })).toBeVisible();
    expect(within(card('Hook 1')).getByText('Off')).toBeVisible();

    await person.click(press('New secret: Hook 2'));
    expect(screen.getByRole('dialog')).toHaveTextContent(
      'For 24 hours calls are signed with the present secret as well',
    );
    await person.click(press('Make a new secret'));
    const secret = (await screen.findByText('Keep the secret now')).closest('[role=dialog]') as HTMLElement;
    expect(secret).toHaveTextContent('whsec_second');
    await person.click(within(secret).getByRole('checkbox', { name: 'I have stored the secret' }));
    await person.click(press('Done', within(secret)));
    await waitForDialogClosed();
    expect(card('Hook 2')).toHaveTextContent(/former secret as well until/);

    await person.click(press('Delete: Hook 2'));
    expect(screen.getByRole('dialog')).toHaveAccessibleName('Delete “Hook 2”?');
    await person.click(press('Delete webhook'));
    await waitForDialogClosed();
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Hook 2' })).toBeNull());
    expect(sent(server, 'delete')).toEqual([2]);
  });

  it('stays disabled if somebody else disabled it meanwhile', async () => {
    const { server, person } = await open();
    await screen.findByRole('button', { name: 'Switch off: Hook 1' });
    // Before this call arrives, and without an event to this page.
    server.answers.set('enable-or-disable', () => {
      server.webhooks = [webhook(1, { enabled: false }), webhook(2)];
      return undefined;
    });
    await person.click(press('Switch off: Hook 1'));
    expect(await screen.findByRole('button', { name: 'Switch on: Hook 1' })).toBeVisible();
    expect(server.webhooks[0]?.enabled).toBe(false);
  });

  it('is tested, and the outcome is shown', async () => {
    const { server, person } = await open();
    await person.click(await screen.findByRole('button', { name: 'Test: Hook 1' }));
    expect(await within(card('Hook 1')).findByText(/The program took it, 0.1/)).toBeVisible();
    expect(card('Hook 1')).toHaveTextContent('200 OK');
    resetSentRequests(); // a second later
    server.outcome = { ok: false, took: 10_000, answer: '503 down', msg: 'The program did not accept it (status 503)' };
    await person.click(press('Test: Hook 1'));
    expect(await within(card('Hook 1')).findByText(/did not accept it \(status 503\)/)).toHaveTextContent('503 down');
    resetSentRequests();
    server.answers.set('test', () => refused(429, 'Try again in 30 s'));
    await person.click(press('Test: Hook 1'));
    expect(await screen.findByRole('dialog', { name: 'Error' })).toHaveAccessibleDescription(
      'The test did not go through Try again in 30 s',
    );
    expect(card('Hook 2')).not.toHaveTextContent('503');
  });

  it('shows its last deliveries and keeps them current', async () => {
    const { server, person } = await open({ webhooks: [webhook(1)] });
    await person.click(await screen.findByRole('button', { name: 'Deliveries: Hook 1' }));
    expect(await screen.findByText(/Nothing yet/)).toBeVisible();
    server.deliveries = [
      webhookDelivery(3, { event: 'resolved', state: 'queued', reason: 'trigger', attempts: 0, answer: undefined }),
      webhookDelivery(2, {
        state: 'queued',
        reason: 'retry',
        attempts: 4,
        answer: '503 down',
        nextTime: Date.now() + 60_000,
      }),
      webhookDelivery(1, { state: 'failed', reason: 'refused', answer: 'not sent: the address is in a network' }),
    ];
    act(() => server.live.newest()?.write('event: delivery\ndata: {"noticeId":42}\n\n'));
    const lines = await within(card('Hook 1')).findAllByRole('listitem');
    expect(lines[0]).toHaveTextContent('Ended: Frost');
    expect(lines[0]).toHaveTextContent('Waits until the beginning of the alarm has been told');
    expect(lines[1]).toHaveTextContent(/Is tried again · 4 attempts · next try \d\d:\d\d/);
    expect(lines[1]).toHaveTextContent('503 down');
    expect(lines[2]).toHaveTextContent('Failed');
    expect(lines[2]).toHaveTextContent('Not taken, for good');
    expect(within(lines[1] as HTMLElement).getByRole('link', { name: 'Began: Frost' })).toHaveAttribute(
      'href',
      '/inform?id=42',
    );
    server.answers.set('deliveries', () => refused(500, 'The server is at fault'));
    await person.click(press('Deliveries: Hook 1'));
    expect(screen.queryByText('Ended: Frost')).toBeNull();
  });
});

it('works the same on a phone', async () => {
  setWidth(390);
  await open();
  await screen.findByRole('heading', { name: 'Hook 1' });
  expect(press('Test: Hook 1')).toBeVisible();
  expect(press('Delete: Hook 2')).toBeVisible();
});

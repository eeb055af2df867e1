import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { askedOf, type ChannelServer, channelServer, names, openChannels, paths, rowOf } from '@/test/channelServer';
import { openConsole } from '@/test/console';
import { gate } from '@/test/gate';
import { setWidth } from '@/test/mediaQueries';
import { toasts, waitForDialogClosed } from '@/test/profileServer';
import { channel } from '@/test/samples';
import { ok, refused } from '@/test/server';
import { noAnswer } from '@/test/telemetryServer';

let server: ChannelServer;
beforeEach(() => {
  server = channelServer([
    channel({ ruleCount: 3, ruleNames: ['Spring frost', 'Row 12 too dry'] }),
    channel({
      id: 2,
      noticeName: 'Elif, phone',
      noticeMode: ['phoneMessage'],
      email: { emails: [] },
      phoneMessage: ['+905321144107', '+905052208820'],
    }),
    channel({ id: 3, noticeName: 'Irrigation', noticeMode: ['email'], phoneMessage: [] }),
  ]);
});

describe('the table', () => {
  it('shows for each channel its kinds, its recipients and the rules that use it', async () => {
    await openChannels(server);
    expect(names()).toEqual(['Night crew', 'Elif, phone', 'Irrigation']);
    const cells = (name: string) =>
      rowOf(name)
        .getAllByRole('cell')
        .slice(0, 4)
        .map(({ textContent }) => textContent);
    expect(cells('Night crew')).toEqual(['EmailSMS', '2 addresses, 1 number', '3 rules', 'Mar 12, 2026, 09:00']);
    expect(cells('Elif, phone')).toEqual(['SMS', '2 numbers', 'No rule yet', 'Mar 12, 2026, 09:00']);
    expect(rowOf('Night crew').getByTitle(/^Used by/)).toHaveAttribute(
      'title',
      'Used by 3 rules: Spring frost, Row 12 too dry and 1 more.',
    );
    expect(screen.getByText('1–3 of 3')).toBeVisible();
  });

  it.each([
    ['zh-cn', '2026-03-12 09:00'],
    ['tr-tr', '12.03.2026 09:00'],
    ['ru-ru', '12.03.2026, 09:00'],
  ] as const)('shows in %s when a channel was created, to the minute', async (language, words) => {
    await useLanguage.getState().setLanguage(language);
    await openConsole('/notification');
    expect((await screen.findAllByText(words)).length).toBe(3);
  });

  it('is searched while the user types, at once with Enter, and keeps the filters in the address', async () => {
    const { user, router } = await openChannels(server);
    const field = screen.getByRole('textbox', { name: 'Search channels' });
    await user.type(field, ' IRRI');
    await waitFor(() => expect(names()).toEqual(['Irrigation']));
    // One request for the whole word.
    expect(askedOf(server, paths.page)).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Clear the search' }));
    await waitFor(() => expect(names()).toHaveLength(3));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Mode' }), 'SMS');
    await waitFor(() => expect(names()).toEqual(['Night crew', 'Elif, phone']));
    expect(askedOf(server, paths.page).at(-1)).toEqual({ noticeMode: 'phoneMessage', pageNo: '1', pageSize: '10' });
    expect(router.state.location.search).toEqual({ mode: 'phoneMessage' });
    await user.type(field, 'elif{Enter}');
    await waitFor(() => expect(names()).toEqual(['Elif, phone']));
    expect(router.state.location.search).toEqual({ mode: 'phoneMessage', q: 'elif' });
  });

  it('is asked for again with Query', async () => {
    const { user } = await openChannels(server);
    const asked = askedOf(server, paths.page).length;
    await user.click(screen.getByRole('button', { name: 'Query' }));
    await waitFor(() => expect(askedOf(server, paths.page)).toHaveLength(asked + 1));
  });

  it('has pages of 10 to 400', async () => {
    server.channels = Array.from({ length: 23 }, (_, i) => channel({ id: i + 1, noticeName: `Crew ${i + 1}` }));
    const { user } = await openChannels(server, '/notification?page=3');
    expect(names()).toEqual(['Crew 21', 'Crew 22', 'Crew 23']);
    const size = screen.getByRole('combobox', { name: 'Rows on a page' });
    expect(within(size).getAllByRole('option')).toHaveLength(5);
    await user.selectOptions(size, '400 / page');
    await waitFor(() => expect(names()).toHaveLength(23));
    expect(askedOf(server, paths.page).at(-1)).toMatchObject({ pageNo: '1', pageSize: '400' });
  });

  it('goes to the last existing page', async () => {
    const { router } = await openChannels(server, '/notification?page=9');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    await waitFor(() => expect(names()).toHaveLength(3));
  });

  it('offers to create the first channel', async () => {
    server.channels = [];
    const { user, router } = await openChannels(server);
    expect(screen.getByRole('heading', { name: 'No channels yet' })).toBeVisible();
    await user.click(screen.getAllByRole('button', { name: 'New channel' }).at(-1) as HTMLElement);
    expect(router.state.location.search).toEqual({ channel: 'new' });
    expect(await screen.findByRole('dialog', { name: 'New channel' })).toBeVisible();
  });

  it('says that nothing matches and offers to show all channels', async () => {
    const { user } = await openChannels(server, '/notification?q=nobody');
    expect(screen.getByRole('heading', { name: 'No channel matches' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Show all channels' }));
    await waitFor(() => expect(names()).toHaveLength(3));
  });

  it('shows an error if the channels cannot be fetched', async () => {
    server.answers.set(paths.page, noAnswer);
    await openChannels(server);
    expect(within(screen.getByRole('main')).getByRole('alert')).toHaveTextContent('The server does not answer');
    expect(screen.getByText('The channels could not be fetched')).toBeVisible();
  });

  it('says which kinds reach nobody from this server', async () => {
    server.ways = { email: false, phoneMessage: true, language: 'tr-tr', logged: true };
    await openChannels(server);
    expect(screen.getByText(/^No mail server is set up: nobody is told by email\. Ask whoever/)).toBeVisible();
    expect(screen.getByText(/^SMS are written to this server’s log only: .* Ask whoever runs Tilth/)).toBeVisible();
    expect(screen.queryByText(/^No SMS gateway/)).toBeNull();
    expect(rowOf('Night crew').getAllByRole('cell')[0]).toHaveTextContent('Email: not set upSMS: log only');
  });

  it.each<[Language, string, string[]]>([
    ['zh-cn', '通知渠道', ['邮件短信', '2个邮箱、1个手机号', '3条规则', '2026-03-12 09:00']],
    ['tr-tr', 'Bildirim kanalları', ['E-postaSMS', '2 adres, 1 numara', '3 kural', '12.03.2026 09:00']],
    ['ru-ru', 'Каналы уведомлений', ['Эл. почтаСМС', '2 адреса, 1 номер', '3 правила', '12.03.2026, 09:00']],
  ])('in %s', async (language, title, wanted) => {
    await useLanguage.getState().setLanguage(language);
    await openChannels(server, '/notification', title);
    const cells = rowOf('Night crew').getAllByRole('cell');
    expect(cells.slice(0, 4).map(({ textContent }) => textContent)).toEqual(wanted);
    expect(screen.getByRole('main')).not.toHaveTextContent(/channel\.|\{\{/);
  });
});

describe('on a phone', () => {
  it('shows channels as cards, the kinds as a filter, and the actions in the form', async () => {
    setWidth(390);
    const { user } = await openChannels(server);
    expect(screen.queryByRole('table')).toBeNull();
    const cards = within(screen.getByRole('list', { name: 'Notification channels' })).getAllByRole('link');
    expect(cards.map(({ textContent }) => textContent)).toEqual([
      'Night crewEmailSMS2 addresses, 1 number · 3 rulesCreate time Mar 12, 2026, 09:00',
      'Elif, phoneSMS2 numbers · no rule yetCreate time Mar 12, 2026, 09:00',
      'IrrigationEmail2 addresses · no rule yetCreate time Mar 12, 2026, 09:00',
    ]);
    await user.click(screen.getByRole('button', { name: 'Filters' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Mode' }), 'Email');
    await user.click(screen.getByRole('button', { name: 'Query' }));
    await waitFor(() => expect(screen.queryByText('Elif, phone')).toBeNull());
    await user.click(screen.getByRole('link', { name: /^Irrigation/ }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit Irrigation' }));
    server.outcomes = [{ recipient: 'elif@valley.example', mode: 'email', ok: true, took: 300 }];
    await user.click(form.getByRole('button', { name: 'Send a test' }));
    expect(await form.findByText('Accepted, 0.3 s')).toBeInTheDocument();
    expect(form.getByRole('button', { name: 'Delete channel' })).toBeEnabled();
  });
});

describe('a test of a channel', () => {
  const panel = () => within(screen.getByRole('region', { name: 'Test of Night crew' }));
  const lines = () =>
    panel()
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent?.replaceAll('\u00a0', ' '));

  it('shows the pending recipients and then each outcome', async () => {
    const answer = gate<Response>();
    server.answers.set(paths.test, () => answer.passed);
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Test: Night crew' }));
    expect(panel().getByRole('status')).toHaveTextContent('Sending to 3 recipients');
    expect(lines()).toEqual([
      'elif@valley.exampleWaiting for the answer',
      'mehmet@valley.exampleWaiting for the answer',
      '+905321144107Waiting for the answer',
    ]);
    expect(panel().queryByRole('button')).toBeNull();
    // A cell that spans a hidden column would bring that column back, empty, and squeeze the names.
    expect(screen.getByRole('region', { name: 'Test of Night crew' }).closest('td')).toHaveAttribute('colspan', '2');
    const outcomes = [
      { recipient: 'elif@valley.example', mode: 'email', ok: true, took: 600, answer: '250 2.0.0 Ok' },
      {
        recipient: 'mehmet@valley.example',
        mode: 'email',
        ok: false,
        took: 300,
        answer: '550 5.1.2 no such domain',
        msg: 'The mail server refuses this recipient',
      },
      { recipient: '+905321144107', mode: 'phoneMessage', ok: true, took: 12_400 },
    ];
    act(() => answer.open(ok(outcomes)));
    await waitFor(() => expect(panel().getByRole('status')).toHaveTextContent('1 of 3 failed'));
    expect(lines()).toEqual([
      'elif@valley.exampleAccepted, 0.6 s250 2.0.0 Ok',
      'mehmet@valley.exampleFailed, 0.3 sThe mail server refuses this recipient550 5.1.2 no such domain',
      '+905321144107Sent, 12 s',
    ]);
    expect(askedOf(server, paths.test)).toEqual([{ id: '1' }]);
    await user.click(panel().getByRole('button', { name: 'Close the test of Night crew' }));
    expect(screen.queryByRole('region', { name: 'Test of Night crew' })).toBeNull();
  });

  it('marks a message that went only to the log as not sent', async () => {
    server.outcomes = [
      { recipient: 'elif@valley.example', mode: 'email', ok: true, took: 600 },
      { recipient: '+905321144107', mode: 'phoneMessage', ok: true, logged: true, took: 0 },
    ];
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Test: Night crew' }));
    await waitFor(() =>
      expect(panel().getByRole('status')).toHaveTextContent('1 of 2 were written to this server’s log only'),
    );
    expect(lines()).toEqual(['elif@valley.exampleAccepted, 0.6 s', '+905321144107Written to the log only, 0.0 s']);
  });

  it('says that nothing was sent if everything went to the log', async () => {
    server.outcomes = [{ recipient: '+905321144107', mode: 'phoneMessage', ok: true, logged: true, took: 0 }];
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Test: Night crew' }));
    await waitFor(() => expect(panel().getByRole('status')).toHaveTextContent(/^Nothing was sent/));
  });

  it('shows an error and no panel if the server refuses it', async () => {
    server.answers.set(paths.test, () => refused(-699, 'SMS is not set up'));
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Test: Night crew' }));
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'error', title: 'The test could not be sent', text: 'SMS is not set up' }]),
    );
    expect(screen.queryByRole('region', { name: 'Test of Night crew' })).toBeNull();
    server.answers.set(paths.test, () => refused(601, 'Nobody is in it'));
    await user.click(screen.getByRole('button', { name: 'Test: Irrigation' }));
    await waitFor(() => expect(toasts().at(-1)).toMatchObject({ tone: 'warning', text: 'Nobody is in it' }));
  });
});

describe('deleting', () => {
  it('asks for confirmation, deletes and shows a message', async () => {
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Delete: Irrigation' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete “Irrigation”?' }));
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus());
    await user.click(dialog.getByRole('button', { name: 'Delete channel' }));
    await waitFor(() => expect(names()).toEqual(['Night crew', 'Elif, phone']));
    expect(askedOf(server, paths.remove)).toEqual([{ id: '3' }]);
    expect(toasts()).toEqual([{ tone: 'success', title: 'deleted successfully' }]);
  });

  it('deletes nothing if the user cancels', async () => {
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Delete: Irrigation' }));
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
    expect(names()).toHaveLength(3);
    expect(askedOf(server, paths.remove)).toEqual([]);
  });

  it('is not possible for a channel that rules use; the dialog names the rules', async () => {
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Delete: Night crew' }));
    const dialog = within(await screen.findByRole('dialog', { name: '“Night crew” is in use' }));
    expect(
      dialog.getByText(
        'Used by 3 rules: Spring frost, Row 12 too dry and 1 more. Take it out of them first, then it can be deleted.',
      ),
    ).toBeInTheDocument();
    expect(dialog.queryByRole('button', { name: 'Delete channel' })).toBeNull();
  });

  it('shows the server’s refusal and refetches the list', async () => {
    const sentence = 'Alarm rules use this channel: “Frost”. Take it out of them first';
    server.answers.set(paths.remove, () => {
      server.channels = server.channels.map((one) => ({ ...one, ruleCount: 1, ruleNames: ['Frost'] }));
      return refused(601, sentence);
    });
    const { user } = await openChannels(server);
    await user.click(screen.getByRole('button', { name: 'Delete: Irrigation' }));
    await user.click(await screen.findByRole('button', { name: 'Delete channel' }));
    await waitFor(() => expect(toasts()).toEqual([{ tone: 'error', title: 'Could not delete', text: sentence }]));
    expect(screen.getAllByText(sentence)).toHaveLength(1);
    await waitFor(() => expect(rowOf('Irrigation').getByText('1 rule')).toBeInTheDocument());
  });
});

import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { ReadBroadcast } from '@/lib/message/readBroadcast';
import { gate } from '@/test/gate';
import {
  askedOf,
  deliverMessage,
  list,
  type MessageServer,
  messageServer,
  openMessages,
  paths,
  row,
  titleOf,
  titles,
} from '@/test/messageServer';
import { message } from '@/test/samples';
import { refused } from '@/test/server';
import { noAnswer } from '@/test/telemetryServer';

// The linked alarm page has tests of its own.
vi.mock('@/features/notices/NoticesPage', () => ({ NoticesPage: () => null }));

const minute = 60_000;
const day = 24 * 60 * minute;
const button = (name: string | RegExp, within_: HTMLElement = screen.getByRole('main')) =>
  within(within_).getByRole('button', { name });
const head = () => within(screen.getByRole('banner'));
const detail = (title: string) => screen.getByRole('region', { name: title });
const lastAsked = (server: MessageServer) => askedOf(server, paths.page).at(-1);
const manyMessages = (count: number) =>
  Array.from({ length: count }, (_, i) => message(count - i, { readStatus: true }));
/** Six messages of one rule, whose alarm begins and ends repeatedly. */
const night = (from = 20) =>
  Array.from({ length: 6 }, (_, i) =>
    message(from - i, {
      ruleId: 5,
      title: i % 2 === 0 ? 'Frost has cleared' : 'Frost',
      event: i % 2 === 0 ? 'resolved' : 'triggered',
      readStatus: i > 1,
      createTime: Date.now() - i * minute,
    }),
  );

describe('the list', () => {
  it('shows what happened, when, and what is unread', async () => {
    const now = Date.now();
    await openMessages(
      messageServer([
        message(6, { title: 'Frost', createTime: now }),
        message(5, { title: 'Table offline', triggerType: 1, alarmLevel: 1, createTime: now - day }),
        message(4, { title: 'Dry', alarmLevel: 0, readStatus: true, createTime: now - 3 * day }),
        message(3, { title: 'Frost has cleared', event: 'resolved', byHand: false, readStatus: true }),
        message(2, { title: 'Dry was resolved by Elif', event: 'resolved', byHand: true, readStatus: true }),
      ]),
    );
    expect(titles()).toEqual(['Frost', 'Table offline', 'Dry', 'Frost has cleared', 'Dry was resolved by Elif']);
    expect(row('Frost')).toHaveTextContent(/^FrostAir temperature is 1\.8 °C\.\d\d:\d\dUnread$/);
    expect(row('Table offline')).toHaveTextContent(/YesterdayUnread$/);
    expect(row('Dry')).toHaveTextContent(/^DryAir temperature is 1\.8 °C\.\w+ \d+$/);
    const marks = within(list())
      .getAllByRole('img', { name: /^[A-Z]/ })
      .map((mark) => mark.getAttribute('aria-label'));
    expect(marks).toEqual(['Serious', 'Important', 'General', 'Automatic resolution', 'Manual solution']);
    expect(head().getByText('2 unread')).toBeVisible();
  });

  it('has the chosen message beside it, at first the newest', async () => {
    const { user, router } = await openMessages(messageServer());
    expect(within(detail('Alarm 2')).getByText('Device: Orchard mast.')).toBeVisible();
    expect(titleOf('Alarm 2')).toHaveAttribute('aria-current', 'true');
    await user.click(titleOf('Alarm 1'));
    expect(router.state.location.href).toBe('/message?id=1');
    expect(within(detail('Alarm 1')).getByText('Device: Orchard mast.')).toBeVisible();
    expect(titleOf('Alarm 1')).toHaveAttribute('aria-current');
    expect(titleOf('Alarm 2')).not.toHaveAttribute('aria-current');
    // Choosing does not mark it as read; the user does that.
    expect(within(row('Alarm 1')).getByText('Unread')).toBeVisible();
    await user.click(within(detail('Alarm 1')).getByRole('button', { name: 'Mark as read' }));
    expect(await within(detail('Alarm 1')).findByText('Read')).toBeVisible();
    expect(within(detail('Alarm 1')).getByRole('heading', { name: 'Alarm 1' })).toHaveFocus();
  });

  it('leads from each message to its alarm', async () => {
    const server = messageServer();
    const { user, router } = await openMessages(server);
    await user.click(within(row('Alarm 1')).getByRole('link', { name: 'Open the alarm: Alarm 1' }));
    expect(router.state.location.href).toBe('/inform?id=101');
    await waitFor(() => expect(askedOf(server, paths.read)).toEqual([{ ids: '1' }]));
  });

  it('has no link to an alarm that no longer exists', async () => {
    await openMessages(messageServer([message(1, { noticeId: undefined, readStatus: true })]));
    expect(within(detail('Alarm 1')).queryByRole('link')).toBeNull();
    expect(within(detail('Alarm 1')).getByText('Read')).toBeVisible();
    expect(within(row('Alarm 1')).queryByRole('link', { name: /^Open/ })).toBeNull();
  });

  it('turns pages, and keeps them in the address', async () => {
    const server = messageServer(manyMessages(250));
    const { user, router } = await openMessages(server);
    expect(screen.getByText('1–10 of 250')).toBeVisible();
    await user.click(screen.getByRole('listitem', { name: '2' }));
    await waitFor(() => expect(titles()[0]).toBe('Alarm 240'));
    expect(router.state.location.search).toMatchObject({ page: 2 });
    await user.selectOptions(screen.getByRole('combobox', { name: 'Rows on a page' }), '100 / page');
    await waitFor(() => expect(titles()).toHaveLength(100));
    expect(lastAsked(server)).toEqual({ pageNo: '1', pageSize: '100' });
    expect(router.state.location.search).toMatchObject({ size: 100 });
  });

  it('goes to the last page if the address’s page no longer exists', async () => {
    const { router } = await openMessages(messageServer(manyMessages(12)), '/message?page=9');
    await waitFor(() => expect(titles()).toEqual(['Alarm 2', 'Alarm 1']));
    expect(router.state.location.search).toMatchObject({ page: 2 });
  });

  it('says that there is no data, and why', async () => {
    await openMessages(messageServer([]));
    expect(screen.getByRole('heading', { name: 'no data' })).toBeVisible();
    expect(screen.getByText('When an alarm begins or ends, its message appears here at once.')).toBeVisible();
    expect(head().getByText('No unread messages')).toBeVisible();
    expect(button('Mark all as read')).toHaveAttribute('aria-disabled', 'true');
  });

  it('shows placeholders while it loads', async () => {
    const server = messageServer();
    const pendingAnswer = gate<Response>();
    server.answers.set(paths.page, () => pendingAnswer.passed);
    const opening = openMessages(server);
    expect(await within(await screen.findByRole('main')).findByText('Loading')).toBeInTheDocument();
    server.answers.delete(paths.page);
    pendingAnswer.open(refused(500, 'Out of order'));
    await opening;
    await waitFor(() => expect(titles()).toHaveLength(2));
  });

  it('stays if the server does not answer, says so, and retries', async () => {
    const server = messageServer();
    const { user, client } = await openMessages(server);
    server.answers.set(paths.page, noAnswer);
    await act(() => client.invalidateQueries({ queryKey: ['messages', 'page'] }));
    expect(await screen.findByText('The server does not answer')).toBeVisible();
    expect(titles()).toHaveLength(2);
    server.answers.delete(paths.page);
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText('The server does not answer')).toBeNull());
  });

  it('shows what the user reads in another browser', async () => {
    const server = messageServer([message(1, { readStatus: false })]);
    await openMessages(server);
    expect(head().getByText('1 unread')).toBeVisible();
    server.messages = server.messages.map((message) => ({ ...message, readStatus: true }));
    server.live.newest()?.write('event: change\ndata: {"of":["message"]}\n\n');
    await waitFor(() => expect(head().queryByText('1 unread')).toBeNull());
  });

  it('is in the chosen language', async () => {
    const server = messageServer([message(1, { readStatus: false })]);
    const { user } = await openMessages(server);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'Русский');
    expect(await screen.findByRole('heading', { level: 2, name: 'Все сообщения' })).toBeVisible();
    await waitFor(() => expect(server.asked.filter(({ path }) => path === paths.page).at(-1)?.language).toBe('ru-ru'));
    expect(head().getByText('Не прочитано: 1')).toBeVisible();
  });
});

describe('marking as read', () => {
  it('works for one message, is confirmed, and updates all counts', async () => {
    const server = messageServer();
    const { user, router } = await openMessages(server);
    await user.click(button('Mark as read: Alarm 2'));
    expect(await screen.findByText('marked read')).toBeVisible();
    expect(askedOf(server, paths.read)).toEqual([{ ids: '2' }]);
    expect(within(row('Alarm 2')).queryByText('Unread')).toBeNull();
    expect(within(row('Alarm 2')).queryByRole('button', { name: /^Mark/ })).toBeNull();
    expect(titleOf('Alarm 2')).toHaveFocus();
    // The message was not chosen.
    expect(router.state.location.search).toEqual({});
    expect(button('Mark as read: Alarm 1')).toBeVisible();
    expect(head().getByText('1 unread')).toBeVisible();
    expect(head().getByRole('button', { name: '1 unread message' })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Message 1 unread message' })).toBeVisible();
  });

  it('needs only one key press after the title', async () => {
    const server = messageServer();
    const { user } = await openMessages(server);
    titleOf('Alarm 2').focus();
    await user.tab();
    expect(button('Mark as read: Alarm 2')).toHaveFocus();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(askedOf(server, paths.read)).toEqual([{ ids: '2' }]));
    expect(titleOf('Alarm 2')).toHaveFocus();
  });

  it('is shown before the server has answered, and reverted if it refuses', async () => {
    const server = messageServer();
    const pendingAnswer = gate<Response>();
    server.answers.set(paths.read, () => pendingAnswer.passed);
    const { user } = await openMessages(server);
    await user.click(button('Mark as read: Alarm 2'));
    await waitFor(() => expect(head().getByText('1 unread')).toBeVisible());
    pendingAnswer.open(refused(500, 'Out of order'));
    expect(await screen.findByText('Could not mark as read')).toBeVisible();
    await waitFor(() => expect(head().getByText('2 unread')).toBeVisible());
    expect(within(row('Alarm 2')).getByText('Unread')).toBeVisible();
    expect(screen.queryByText('marked read')).toBeNull();
  });

  it('works for all messages', async () => {
    const server = messageServer();
    const { user } = await openMessages(server);
    await user.click(button('Mark all as read'));
    expect(await screen.findByText('marked read')).toBeVisible();
    expect(screen.queryByText('Unread')).toBeNull();
    expect(head().getByText('No unread messages')).toBeVisible();
    await waitFor(() => expect(button('Mark all as read')).toHaveAttribute('aria-disabled', 'true'));
    // The focus stays on the pressed button.
    expect(button('Mark all as read')).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(askedOf(server, paths.readAll)).toHaveLength(1);
  });

  it('happens on the way to the alarm', async () => {
    const server = messageServer();
    const { user, router } = await openMessages(server);
    await user.click(within(detail('Alarm 2')).getByRole('link', { name: 'Open the alarm' }));
    expect(router.state.location.href).toBe('/inform?id=102');
    await waitFor(() => expect(askedOf(server, paths.read)).toEqual([{ ids: '2' }]));
    expect(screen.queryByText('marked read')).toBeNull();
  });

  it('is synchronized between tabs', async () => {
    const server = messageServer();
    const heard: unknown[] = [];
    const other = new ReadBroadcast(7, () => heard.push('read'));
    const { user } = await openMessages(server);
    await user.click(button('Mark as read: Alarm 2'));
    await waitFor(() => expect(heard).toEqual(['read']));
    server.messages = server.messages.map((message) => ({ ...message, readStatus: true }));
    other.notifyRead();
    await waitFor(() => expect(head().getByText('No unread messages')).toBeVisible());
    other.close();
  });
});

describe('many messages of one rule', () => {
  it('stand singly under a head with their number and period, which folds them', async () => {
    const server = messageServer([message(30), ...night(), message(1, { readStatus: true })]);
    const { user } = await openMessages(server);
    expect(titles()).toHaveLength(3 + 6);
    expect(within(list('Frost')).getAllByRole('button', { name: /^Mark as read: / })).toHaveLength(2);
    expect(row('Frost')).toHaveTextContent(/6 messages, .*\d\d:\d\d to .*\d\d:\d\d/);
    expect(within(row('Frost')).getByText('2 unread')).toBeVisible();
    await user.click(button('Frost'));
    expect(titles()).toEqual(['Alarm 30', 'Frost', 'Alarm 1']);
    await user.click(button('Frost'));
    expect(within(list('Frost')).getAllByRole('listitem')).toHaveLength(6);
    const [first] = within(list('Frost')).getAllByRole('link', { name: 'Frost has cleared' });
    await user.click(first as HTMLElement);
    expect(within(detail('Frost has cleared')).getByText('Device: Orchard mast.')).toBeVisible();
    await user.click(button('Mark these as read: Frost'));
    await waitFor(() => expect(askedOf(server, paths.read)).toEqual([{ ids: '20,19' }]));
    expect(screen.queryByRole('button', { name: /^Mark these as read/ })).toBeNull();
    expect(within(list()).getAllByRole('button', { name: 'Frost' })[0]).toHaveFocus();
    expect(head().getByText('1 unread')).toBeVisible();
  });

  it('are marked as read at once while they are folded', async () => {
    const server = messageServer([message(30, { readStatus: true }), ...night()]);
    const { user } = await openMessages(server);
    await user.click(button('Frost'));
    await user.click(button('Mark these as read: Frost'));
    await waitFor(() => expect(askedOf(server, paths.read)).toEqual([{ ids: '20,19' }]));
    expect(button('Frost')).toHaveAttribute('aria-expanded', 'false');
    expect(button('Frost')).toHaveFocus();
  });

  it('stay folded when others join them', async () => {
    const server = messageServer(night());
    const { user } = await openMessages(server);
    await user.click(button('Frost'));
    act(() => deliverMessage(server, message(21, { ruleId: 5, title: 'Frost' })));
    await waitFor(() => expect(row('Frost')).toHaveTextContent('7 messages'));
    expect(button('Frost')).toHaveAttribute('aria-expanded', 'false');
  });
});

describe('live', () => {
  it('puts new messages on top and counts them; the shown one stays', async () => {
    const server = messageServer();
    await openMessages(server);
    act(() => deliverMessage(server, message(3, { title: 'Just now' })));
    await waitFor(() => expect(titles()).toEqual(['Just now', 'Alarm 2', 'Alarm 1']));
    expect(head().getByText('3 unread')).toBeVisible();
    expect(detail('Alarm 2')).toBeVisible();
  });

  it('refetches once for many events', async () => {
    const server = messageServer();
    await openMessages(server);
    const before = askedOf(server, paths.unread).length;
    act(() => {
      for (let id = 10; id < 30; id += 1) deliverMessage(server, message(id, { alarmLevel: 0 }));
    });
    await waitFor(() => expect(head().getByText('22 unread')).toBeVisible());
    expect(askedOf(server, paths.unread)).toHaveLength(before + 1);
  });
});

describe('a message that the address names', () => {
  it('is beside the list, and its title has the focus', async () => {
    await openMessages(messageServer(), '/message?id=1');
    expect(detail('Alarm 1')).toBeVisible();
    await waitFor(() => expect(titleOf('Alarm 1')).toHaveFocus());
  });

  it('is found within its group', async () => {
    await openMessages(messageServer(night()), '/message?id=17');
    await waitFor(() => expect(list('Frost').querySelector('[data-message="17"] [data-title]')).toHaveFocus());
    expect(within(detail('Frost')).getByText('Device: Orchard mast.')).toBeVisible();
  });

  it('may be on another page', async () => {
    await openMessages(messageServer(), '/message?id=999');
    expect(titles()).toEqual(['Alarm 2', 'Alarm 1']);
    expect(detail('Alarm 2')).toBeVisible();
  });
});

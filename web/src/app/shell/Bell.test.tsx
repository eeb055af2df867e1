import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { openConsole } from '@/test/console';
import { setWidth } from '@/test/mediaQueries';
import { askedOf, deliverMessage, type MessageServer, messageServer, paths } from '@/test/messageServer';
import { ack, message } from '@/test/samples';
import { noAnswer } from '@/test/telemetryServer';

vi.mock('@/features/alarm/AlarmPage', () => import('@/test/PlainPage'));
vi.mock('@/features/notices/NoticesPage', () => ({ NoticesPage: () => null }));

const six = () => [
  message(6, { title: 'Frost' }),
  message(5, { title: 'Table offline', alarmLevel: 1, triggerType: 1 }),
  ...[4, 3, 2, 1].map((id) => message(id, { readStatus: true })),
];
const bell = () => screen.getByRole('button', { name: /unread message/i });
const panel = () => within(screen.getByRole('dialog', { name: 'Recent messages' }));
const items = () =>
  panel()
    .getAllByRole('listitem')
    .map((item) => item.textContent);

const focused = () => document.activeElement as HTMLElement;

async function open(server: MessageServer) {
  const opened = await openConsole('/alarm');
  await waitFor(() => expect(askedOf(server, paths.unread).length).toBeGreaterThan(1));
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  const user = userEvent.setup();
  await user.click(bell());
  await screen.findByRole('dialog', { name: 'Recent messages' });
  return { ...opened, user };
}

describe('the bell', () => {
  it('shows the newest five and marks the unread ones by weight and in words', async () => {
    const server = messageServer(six());
    await open(server);
    expect(bell()).toHaveAccessibleName('2 unread messages');
    expect(bell()).toHaveAttribute('aria-expanded', 'true');
    await waitFor(() => expect(items()).toHaveLength(5));
    expect(items()[0]).toMatch(/^FrostUnread\d\d:\d\d$/);
    expect(items()[2]).toMatch(/^Alarm 4\d\d:\d\d$/);
    expect(panel().getByText('2 unread')).toBeVisible();
    expect(panel().getByRole('link', { name: 'All messages' })).toHaveAttribute('href', '/message');
    expect(askedOf(server, paths.page)).toEqual([{ pageNo: '1', pageSize: '5' }]);
  });

  it('fetches no messages before it is opened', async () => {
    const server = messageServer(six());
    await openConsole('/alarm');
    await screen.findByRole('button', { name: '2 unread messages' });
    expect(askedOf(server, paths.page)).toEqual([]);
  });

  it('leads to a message, marks it as read, and from there to its alarm', async () => {
    const server = messageServer(six());
    const { user, router } = await open(server);
    await user.click(await panel().findByRole('link', { name: /^Important\s?Table offline/ }));
    expect(router.state.location.href).toBe('/message?id=5');
    await waitFor(() => expect(askedOf(server, paths.read)).toEqual([{ ids: '5' }]));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bell()).toHaveAccessibleName('1 unread message');
    const shown = within(await screen.findByRole('region', { name: 'Table offline' }));
    await user.click(shown.getByRole('link', { name: 'Open the alarm' }));
    expect(router.state.location.href).toBe('/inform?id=105');
  });

  it('does not mark a message that was read', async () => {
    const server = messageServer(six());
    const { user, router } = await open(server);
    await user.click(await panel().findByRole('link', { name: /Alarm 4/ }));
    expect(router.state.location.href).toBe('/message?id=4');
    expect(askedOf(server, paths.read)).toEqual([]);
  });

  it('marks all as read, and stays open', async () => {
    const { user } = await open(messageServer(six()));
    await user.click(panel().getByRole('button', { name: 'Mark all as read' }));
    expect(await screen.findByText('marked read')).toBeVisible();
    expect(bell()).toHaveFocus();
    expect(panel().getByText('No unread messages')).toBeVisible();
    expect(panel().queryByRole('button', { name: 'Mark all as read' })).toBeNull();
    expect(panel().queryByText('Unread')).toBeNull();
    expect(bell()).toHaveAccessibleName('No unread messages');
  });

  it('says when there are no messages, and when fetching failed', async () => {
    const server = messageServer([]);
    server.answers.set(paths.page, noAnswer);
    const { user } = await open(server);
    expect(await panel().findByText('Cannot connect to the server')).toBeVisible();
    server.answers.delete(paths.page);
    await user.click(panel().getByRole('button', { name: 'Retry' }));
    expect(await panel().findByText('When an alarm begins or ends, its message appears here at once.')).toBeVisible();
  });
});

describe('by the keyboard', () => {
  it('moves through the messages with the arrow keys, and returns the focus on Escape', async () => {
    const { user } = await open(messageServer(six()));
    await panel().findByRole('link', { name: /Frost/ });
    expect(bell()).toHaveFocus();
    await user.keyboard('{ArrowDown}');
    expect(panel().getByRole('link', { name: /Frost/ })).toHaveFocus();
    await user.keyboard('{ArrowDown}');
    expect(panel().getByRole('link', { name: /Table offline/ })).toHaveFocus();
    await user.keyboard('{End}{ArrowDown}');
    expect(panel().getByRole('link', { name: 'All messages' })).toHaveFocus();
    await user.keyboard('{Home}{ArrowUp}');
    expect(bell()).toHaveFocus();
    await user.keyboard('{ArrowDown}{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bell()).toHaveFocus();
    expect(bell()).toHaveAttribute('aria-expanded', 'false');
  });

  it('closes when Tab leaves its end', async () => {
    const { user } = await open(messageServer(six()));
    await panel().findByRole('link', { name: /Frost/ });
    panel().getByRole('link', { name: 'All messages' }).focus();
    await user.tab();
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

it('closes on a click outside, not inside', async () => {
  const { user } = await open(messageServer(six()));
  await user.click(panel().getByText('2 unread'));
  expect(screen.getByRole('dialog')).toBeVisible();
  await user.click(screen.getByRole('heading', { level: 1 }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

describe('live', () => {
  it('counts and lists new messages, and announces serious ones', async () => {
    const server = messageServer(six());
    await open(server);
    act(() => deliverMessage(server, message(7, { title: 'Hail' })));
    await waitFor(() => expect(bell()).toHaveAccessibleName('3 unread messages'));
    await waitFor(() => expect(items()[0]).toMatch(/^Hail/));
    expect(await screen.findByText('New serious alarm: Hail')).toHaveAttribute('role', 'status');
  });

  it('does not announce lesser or resolved alarms', async () => {
    const server = messageServer(six());
    await open(server);
    act(() => {
      deliverMessage(server, message(7, { title: 'Dry', alarmLevel: 1 }));
      deliverMessage(server, message(8, { title: 'Hail is over', event: 'resolved' }));
    });
    await waitFor(() => expect(bell()).toHaveAccessibleName('4 unread messages'));
    expect(screen.queryByText(/^New serious alarm/)).toBeNull();
  });

  it('announces an alarm without its name when fetching that fails', async () => {
    const server = messageServer(six());
    await open(server);
    server.answers.set(paths.page, noAnswer);
    act(() => deliverMessage(server, message(7, { title: 'Hail' })));
    expect(await screen.findByText('New serious alarm')).toBeInTheDocument();
  });
});

it('says who is on an alarm', async () => {
  await open(messageServer([message(6, { title: 'Frost', ack: ack() }), message(5, { title: 'Dry' })]));
  expect(items()[0]).toMatch(/^FrostAda is on it/);
  expect(items()[1]).not.toContain('is on it');
});

describe('on a phone', () => {
  it('is a full-width sheet that closes with its button', async () => {
    setWidth(390);
    const { user } = await open(messageServer(six()));
    expect(await panel().findByRole('link', { name: /Frost/ })).toBeVisible();
    await user.click(panel().getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(bell()).toHaveAttribute('aria-expanded', 'false'));
  });

  it('keeps the focus when all are marked as read', async () => {
    setWidth(390);
    const { user } = await open(messageServer(six()));
    const button = panel().getByRole('button', { name: 'Mark all as read' });
    button.focus();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(button).not.toBeInTheDocument());
    await waitFor(() => expect(screen.getByRole('dialog', { name: 'Recent messages' })).toContainElement(focused()));
  });

  it('leads to the message as well, which is unfolded', async () => {
    setWidth(390);
    const { user, router } = await open(messageServer(six()));
    await user.click(await panel().findByRole('link', { name: /Frost/ }));
    expect(router.state.location.href).toBe('/message?id=6');
    const whole = await screen.findByRole('button', { name: 'The whole message: Frost' });
    await waitFor(() => expect(whole).toHaveAttribute('aria-expanded', 'true'));
  });
});

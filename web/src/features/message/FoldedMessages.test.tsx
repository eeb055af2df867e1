import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setWidth } from '@/test/mediaQueries';
import { askedOf, list, messageServer, openMessages, paths, row, titleOf } from '@/test/messageServer';
import { message } from '@/test/samples';

// The linked alarm page has tests of its own.
vi.mock('@/features/notices/NoticesPage', () => ({ NoticesPage: () => null }));

const button = (name: string) => within(screen.getByRole('main')).getByRole('button', { name });

describe('without room beside the list', () => {
  beforeEach(() => setWidth(1024));

  const whole = (title: string) => button(`The whole message: ${title}`);

  it('a message leads to its alarm and is marked as read', async () => {
    const server = messageServer();
    const { user, router } = await openMessages(server);
    expect(screen.queryByRole('region', { name: 'Alarm 2' })).toBeNull();
    await user.click(titleOf('Alarm 2'));
    expect(router.state.location.href).toBe('/inform?id=102');
    await waitFor(() => expect(askedOf(server, paths.read)).toEqual([{ ids: '2' }]));
    expect(screen.queryByText('marked read')).toBeNull();
  });

  it('a message unfolds, with all lines', async () => {
    const { user } = await openMessages(messageServer());
    expect(within(list()).queryByText('Device: Orchard mast.')).toBeNull();
    expect(whole('Alarm 2')).toHaveAttribute('aria-expanded', 'false');
    await user.click(whole('Alarm 2'));
    expect(whole('Alarm 2')).toHaveAttribute('aria-expanded', 'true');
    expect(within(row('Alarm 2')).getByText('Device: Orchard mast.')).toBeVisible();
    // Opening does not mark it as read; the user does that.
    expect(within(row('Alarm 2')).getByText('Unread')).toBeVisible();
    await user.click(button('Mark as read: Alarm 2'));
    expect(await within(row('Alarm 2')).findByText('Read')).toBeVisible();
    expect(whole('Alarm 2')).toHaveAttribute('aria-expanded', 'true');
    await user.click(whole('Alarm 2'));
    expect(within(list()).queryByText('Device: Orchard mast.')).toBeNull();
  });

  it('one without an alarm unfolds by its title', async () => {
    const { user } = await openMessages(messageServer([message(1, { noticeId: undefined, readStatus: true })]));
    await user.click(button('Alarm 1'));
    expect(button('Alarm 1')).toHaveAttribute('aria-expanded', 'true');
    expect(within(row('Alarm 1')).queryByRole('link')).toBeNull();
    expect(within(row('Alarm 1')).getByText('Read')).toBeVisible();
  });

  it('the one that the address names is unfolded; folding it removes it from the address', async () => {
    const { user, router } = await openMessages(messageServer(), '/message?id=1');
    await waitFor(() => expect(whole('Alarm 1')).toHaveAttribute('aria-expanded', 'true'));
    expect(titleOf('Alarm 1')).toHaveFocus();
    await user.click(whole('Alarm 1'));
    expect(whole('Alarm 1')).toHaveAttribute('aria-expanded', 'false');
    expect(router.state.location.search).toEqual({});
  });
});

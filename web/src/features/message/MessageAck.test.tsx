import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { messageServer, openMessages, row } from '@/test/messageServer';
import { ack, message, notice } from '@/test/samples';

// The linked alarm page has tests of its own.
vi.mock('@/features/notices/NoticesPage', () => ({ NoticesPage: () => null }));

describe('the acknowledgement of an alarm', () => {
  const alarm = (change: object = {}) => notice({ id: 106, title: 'Frost', ...change });

  it('is shown with its message, which links to the alarm’s page', async () => {
    const { user, router } = await openMessages(messageServer([message(6, { title: 'Frost', ack: ack() })]));
    expect(row('Frost')).toHaveTextContent('Ada is on it');
    expect(within(screen.getByRole('region', { name: 'Frost' })).getByText('Ada is on it')).toBeVisible();
    await user.click(screen.getByRole('link', { name: 'Open the alarm' }));
    expect(router.state.location.href).toBe('/inform?id=106');
  });

  it('is shown on a group if one of its messages has it', async () => {
    const many = Array.from({ length: 6 }, (_, i) =>
      message(20 - i, { ruleId: 5, title: 'Frost', readStatus: true, ...(i === 2 ? { ack: ack() } : {}) }),
    );
    await openMessages(messageServer(many));
    expect(row('Frost')).toHaveTextContent('Ada is on it');
  });

  it('is updated by the stream without a request, until it is taken back or the alarm ends', async () => {
    const server = messageServer([message(6, { title: 'Frost' }), message(5, { title: 'Dry' })]);
    await openMessages(server);
    const before = server.asked.length;
    const tell = (data: object) =>
      act(() => server.live.newest()?.write(`event: notice\ndata: ${JSON.stringify(data)}\n\n`));
    tell(alarm({ ack: ack() }));
    await waitFor(() => expect(row('Frost')).toHaveTextContent('Ada is on it'));
    expect(row('Dry')).not.toHaveTextContent('is on it');
    tell(alarm());
    await waitFor(() => expect(row('Frost')).not.toHaveTextContent('is on it'));
    tell(alarm({ ack: ack({ user: 'Bo' }) }));
    await waitFor(() => expect(row('Frost')).toHaveTextContent('Bo is on it'));
    tell(alarm({ ack: ack({ user: 'Bo' }), resolveStatus: 1, endTime: Date.now() }));
    await waitFor(() => expect(row('Frost')).not.toHaveTextContent('is on it'));
    // The alarm counts are refetched, the messages are not.
    expect(server.asked).toHaveLength(before);
  });
});

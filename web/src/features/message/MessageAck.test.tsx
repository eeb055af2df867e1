import { act, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { messageServer, openMessages, row } from '@/test/messageServer';
import { ack, message, notice } from '@/test/samples';

// Where the way to the alarm leads has tests of its own.
vi.mock('@/features/notices/NoticesPage', () => ({ NoticesPage: () => null }));

describe('who is on an alarm', () => {
  const alarm = (change: object = {}) => notice({ id: 106, title: 'Frost', ...change });

  it('stands with its message, which leads to where one acts', async () => {
    const { user, router } = await openMessages(messageServer([message(6, { title: 'Frost', ack: ack() })]));
    expect(row('Frost')).toHaveTextContent('Ada is on it');
    await user.click(screen.getByRole('button', { name: 'Frost' }));
    await user.click(screen.getByRole('link', { name: 'Open the alarm' }));
    expect(router.state.location.href).toBe('/inform?id=106');
  });

  it('stands with a line of many, of which one is its', async () => {
    const many = Array.from({ length: 6 }, (_, i) =>
      message(20 - i, { ruleId: 5, title: 'Frost', readStatus: true, ...(i === 2 ? { ack: ack() } : {}) }),
    );
    await openMessages(messageServer(many));
    expect(screen.getByText('Ada is on it')).toBeVisible();
  });

  it('is taken over from the stream, until it is taken back or the alarm ends, without a call', async () => {
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
    // The counts of alarms are asked for, messages are not.
    expect(server.asked).toHaveLength(before);
  });
});

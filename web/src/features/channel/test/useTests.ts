import { useCallback, useMemo, useRef, useState } from 'react';
import { type ChannelKind, kindsOf, recipientsByKind } from '@/lib/channel/kinds';
import type { Channel, TestOutcome } from '@/lib/channel/queries';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import { showError } from '@/lib/http/errorText';

/** A recipient of a test message. */
export interface Recipient {
  mode: ChannelKind;
  recipient: string;
}

/** A test of a channel, and its outcomes. */
export interface ChannelTest {
  /** When it began, epoch milliseconds. */
  at: number;
  /** The recipients as the list had them. */
  to: readonly Recipient[];
  /** Undefined while the test is running. */
  outcomes?: readonly TestOutcome[];
}

function recipientsOf(channel: Channel): Recipient[] {
  const of = recipientsByKind(channel);
  return kindsOf(channel).flatMap((mode) => of[mode].map((recipient) => ({ mode, recipient })));
}

const none: ReadonlyMap<number, ChannelTest> = new Map();

/**
 * The tests that were sent from this page, the newest of each channel, until the user closes them.
 */
export function useTests() {
  const [tests, setTests] = useState(none);
  const running = useRef(new Set<number>());

  const close = useCallback((id: number) => {
    setTests((before) => new Map([...before].filter(([other]) => other !== id)));
  }, []);

  const send = useCallback(
    async (channel: Channel) => {
      const { id } = channel;
      if (running.current.has(id)) return;
      running.current.add(id);
      const begun: ChannelTest = { at: now(), to: recipientsOf(channel) };
      const show = (test: ChannelTest) => setTests((before) => new Map(before).set(id, test));
      show(begun);
      try {
        const outcomes = await api.post('/admin-api/client/pc/notice-channel/test', { query: { id } });
        show({ ...begun, outcomes });
      } catch (error) {
        close(id);
        showError(error, { failure: 'channel.test.fail' });
      } finally {
        running.current.delete(id);
      }
    },
    [close],
  );
  return useMemo(() => ({ tests, send, close }), [tests, send, close]);
}

export type ChannelTests = ReturnType<typeof useTests>;

export function isRunning(test: ChannelTest | undefined): boolean {
  return test !== undefined && test.outcomes === undefined;
}

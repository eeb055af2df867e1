import { vi } from 'vitest';
import { LiveConnection, type LiveState } from '@/lib/live/connection';
import type { StreamEvent } from '@/lib/live/eventStreamParser';
import { fakeStreams } from './fakeStreams';

/** A connection to a fake stream server, with everything that it reports. */
export function openConnection(lastEventId = '', from = async () => '') {
  const server = fakeStreams();
  const frames: StreamEvent[] = [];
  const states: LiveState[] = [];
  const token = vi.fn<() => Promise<string | null>>().mockResolvedValue('token-1');
  const renew = vi.fn<(used: string) => Promise<string | null>>().mockImplementation(async (used) => {
    token.mockResolvedValue(`${used}+`);
    return `${used}+`;
  });
  const onFresh = vi.fn();
  const onHeard = vi.fn();
  const connection = new LiveConnection(
    { token, renew, startPosition: from, open: server.open },
    {
      onStreamEvents: (received) => frames.push(...received),
      onState: (state) => states.push(state),
      onFreshStart: onFresh,
      onActivity: onHeard,
    },
    lastEventId,
  );
  connection.start();
  return { ...server, connection, frames, states, token, renew, onFresh, onHeard };
}

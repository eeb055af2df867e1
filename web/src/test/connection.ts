import { vi } from 'vitest';
import { LiveConnection, type LiveState } from '@/lib/live/connection';
import type { Frame } from '@/lib/live/parser';
import { fakeStreams } from './stream';

/** A connection to a server of streams, with all that it says. */
export function connect(lastEventId = '', from = async () => '') {
  const server = fakeStreams();
  const frames: Frame[] = [];
  const states: LiveState[] = [];
  const token = vi.fn<() => Promise<string | null>>().mockResolvedValue('token-1');
  const renew = vi.fn<(used: string) => Promise<string | null>>().mockImplementation(async (used) => {
    token.mockResolvedValue(`${used}+`);
    return `${used}+`;
  });
  const onFresh = vi.fn();
  const onHeard = vi.fn();
  const connection = new LiveConnection(
    { token, renew, from, open: server.open },
    { onFrames: (told) => frames.push(...told), onState: (state) => states.push(state), onFresh, onHeard },
    lastEventId,
  );
  connection.start();
  return { ...server, connection, frames, states, token, renew, onFresh, onHeard };
}

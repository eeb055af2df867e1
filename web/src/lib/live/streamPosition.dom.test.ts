import { describe, expect, it } from 'vitest';
import { useSession } from '@/lib/session/session';
import { signedIn } from '@/test/session';
import { isBefore, markCaughtUp, streamStartPosition, trackCall } from './streamPosition';

/** Whether a promise is resolved. */
async function isResolved(promise: Promise<string>): Promise<string | undefined> {
  return Promise.race([promise, Promise.resolve().then(() => undefined)]);
}

describe('the start position of a stream', () => {
  it('is pending until an answer has one', async () => {
    signedIn();
    expect(await streamStartPosition()).toBe('');
    trackCall()('');
    expect(await streamStartPosition()).toBe('');
  });

  it('is the earliest one, once every answer has arrived that may have an earlier one', async () => {
    signedIn();
    const [list, counts, failing] = [trackCall(), trackCall(), trackCall()];
    counts('e-12');
    const from = streamStartPosition();
    expect(await isResolved(from)).toBeUndefined();
    // This call begins after an answer has arrived: the server reads it later, so nothing waits for
    // it.
    const later = trackCall();
    failing('');
    expect(await isResolved(from)).toBeUndefined();
    list('e-9');
    expect(await from).toBe('e-9');
    later('e-7');
    expect(await streamStartPosition()).toBe('e-9');
  });

  it('is compared as a number, not as text', async () => {
    signedIn();
    const [one, other] = [trackCall(), trackCall()];
    one('e-9');
    other('e-10');
    expect(await streamStartPosition()).toBe('e-9');
    expect(isBefore('e-9', 'e-10')).toBe(true);
    expect(isBefore('e-10', 'e-9')).toBe(false);
    expect(isBefore('e-10', 'e-10')).toBe(false);
  });

  it('is unknown to the server if it restarted between two answers', async () => {
    signedIn();
    const [one, two, three] = [trackCall(), trackCall(), trackCall()];
    one('d-900');
    two('e-1');
    three('d-899');
    expect(['d-900', 'd-899', 'e-1', '']).not.toContain(await streamStartPosition());
    expect(isBefore('d-900', 'e-1')).toBe(true);
    expect(isBefore('e-1', 'd-900')).toBe(true);
  });

  it('moves on to the last event shown', async () => {
    signedIn();
    trackCall()('e-5');
    markCaughtUp('');
    expect(await streamStartPosition()).toBe('e-5');
    markCaughtUp('e-80');
    expect(await streamStartPosition()).toBe('e-80');
  });

  it('is reset for another user, and ignores late answers of the first', async () => {
    signedIn({ userId: 7 });
    const [early, late] = [trackCall(), trackCall()];
    early('e-5');
    useSession.setState({ session: null, ended: 'quit' });
    late('e-4');
    expect(await streamStartPosition()).toBe('');
    signedIn({ userId: 8 });
    expect(await streamStartPosition()).toBe('');
    trackCall()('e-70');
    expect(await streamStartPosition()).toBe('e-70');
    // Directly from one user to another, as another tab may do it; and the same user again.
    signedIn({ userId: 7 });
    expect(await streamStartPosition()).toBe('');
  });

  it('survives a new token of the same user', async () => {
    signedIn({ userId: 7 });
    trackCall()('e-5');
    signedIn({ userId: 7, accessToken: 'renewed' });
    expect(await streamStartPosition()).toBe('e-5');
  });
});

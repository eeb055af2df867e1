import { QueryObserver } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setFarmZone, useFarmZone } from '@/lib/format/zone';
import { showDialog, toast, useNotices } from '@/lib/notices';
import { takeOver, useSession } from '@/lib/session';
import { testClient } from '@/test/part';
import { signedIn } from '@/test/session';
import { followSession } from './follow';
import { createConsoleRouter } from './router';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A page that is looked at, with answers that were Ada's (7): one on the screen, one of a page before. */
function page() {
  signedIn({ userId: 7 });
  const client = testClient();
  const router = createConsoleRouter(createMemoryHistory({ initialEntries: ['/signup'] }));
  client.setQueryData(['devices'], 'Ada’s');
  client.setQueryData(['notices'], 'Ada’s');
  const screen = new QueryObserver<string>(client, {
    queryKey: ['devices'],
    queryFn: () => new Promise<string>(() => undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
  stops.push(
    screen.subscribe(() => undefined),
    followSession(router, client),
  );
  return { client, router, screen };
}

const quit = () => useSession.setState({ session: null, ended: 'quit' });

describe('what one person was shown', () => {
  let seen: ReturnType<typeof page>;
  beforeEach(() => {
    seen = page();
    setFarmZone('Europe/Istanbul');
  });
  const isGone = () => {
    expect(seen.screen.getCurrentResult().data).toBeUndefined();
    expect(seen.client.getQueryData(['notices'])).toBeUndefined();
    expect(useFarmZone.getState().zone).toBeUndefined();
  };

  it('is not shown to who signs in in their place', () => {
    signedIn({ userId: 8 });
    isGone();
  });

  it('is not shown to who signs in the moment after they have quit, in another tab', async () => {
    takeOver(null);
    signedIn({ userId: 8 });
    isGone();
    // What is told to the next stays.
    setFarmZone('Asia/Shanghai');
    seen.client.setQueryData(['notices'], 'Bora’s');
    await seen.router.load();
    await new Promise((resolve) => setTimeout(resolve));
    expect(useFarmZone.getState().zone).toBe('Asia/Shanghai');
    expect(seen.client.getQueryData(['notices'])).toBe('Bora’s');
  });

  it('is gone once they have quit and the page with them', async () => {
    seen.screen.destroy();
    quit();
    await expect.poll(() => seen.client.getQueryCache().getAll()).toEqual([]);
    expect(useFarmZone.getState().zone).toBeUndefined();
  });

  it('stays where the same person’s session is another', () => {
    signedIn({ userId: 7, accessToken: 'access-2' });
    expect(seen.screen.getCurrentResult().data).toBe('Ada’s');
  });

  it.each([
    ['quits', quit],
    ['loses the session', () => useSession.setState({ session: null, ended: 'lost' })],
    ['gives way to another', () => signedIn({ userId: 8 })],
  ])('messages too, when the person %s', (_, end) => {
    toast.error('Orchard mast was not saved');
    showDialog({ title: 'Not deleted', text: 'Orchard mast is used' });
    signedIn({ userId: 7, accessToken: 'access-2' });
    expect(useNotices.getState().toasts).toHaveLength(1);
    end();
    expect(useNotices.getState()).toEqual({ toasts: [], dialog: null });
  });
});

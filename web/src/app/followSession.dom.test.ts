import { QueryObserver } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { showDialog, toast, useFeedback } from '@/lib/feedback/feedback';
import { setTenantZone, useTenantZone } from '@/lib/format/zone';
import { applyOtherTabSession, useSession } from '@/lib/session/session';
import { testClient } from '@/test/renderWithProviders';
import { signedIn } from '@/test/session';
import { followSession } from './followSession';
import { createConsoleRouter } from './router';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const stop of cleanups.splice(0)) stop();
});

/** A page with answers for Ada (7): one on the screen, one of an earlier page. */
function page() {
  signedIn({ userId: 7 });
  const client = testClient();
  const router = createConsoleRouter(client, createMemoryHistory({ initialEntries: ['/signup'] }));
  client.setQueryData(['devices'], 'Ada’s');
  client.setQueryData(['notices'], 'Ada’s');
  const screen = new QueryObserver<string>(client, {
    queryKey: ['devices'],
    queryFn: () => new Promise<string>(() => undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
  cleanups.push(
    screen.subscribe(() => undefined),
    followSession(router, client),
  );
  return { client, router, screen };
}

const signOutHere = () => useSession.setState({ session: null, ended: 'quit' });

describe('what one user saw', () => {
  let seen: ReturnType<typeof page>;
  beforeEach(() => {
    seen = page();
    setTenantZone('Europe/Istanbul');
  });
  const isGone = () => {
    expect(seen.screen.getCurrentResult().data).toBeUndefined();
    expect(seen.client.getQueryData(['notices'])).toBeUndefined();
    expect(useTenantZone.getState().zone).toBeUndefined();
  };

  it('is not shown to the next user who signs in', () => {
    signedIn({ userId: 8 });
    isGone();
  });

  it('is not shown to a user who signs in in another tab right after they have signed out', async () => {
    applyOtherTabSession(null);
    signedIn({ userId: 8 });
    isGone();
    // The next user's data stays.
    setTenantZone('Asia/Shanghai');
    seen.client.setQueryData(['notices'], 'Bora’s');
    await seen.router.load();
    await new Promise((resolve) => setTimeout(resolve));
    expect(useTenantZone.getState().zone).toBe('Asia/Shanghai');
    expect(seen.client.getQueryData(['notices'])).toBe('Bora’s');
  });

  it('is removed once they have signed out and the page is gone', async () => {
    seen.screen.destroy();
    signOutHere();
    await expect.poll(() => seen.client.getQueryCache().getAll()).toEqual([]);
    expect(useTenantZone.getState().zone).toBeUndefined();
  });

  it('stays when the same user gets another session', () => {
    signedIn({ userId: 7, accessToken: 'access-2' });
    expect(seen.screen.getCurrentResult().data).toBe('Ada’s');
  });

  it.each([
    ['signs out', signOutHere],
    ['loses the session', () => useSession.setState({ session: null, ended: 'lost' })],
    ['is replaced by another', () => signedIn({ userId: 8 })],
  ])('includes messages, when the user %s', (_, end) => {
    toast.error('Orchard mast was not saved');
    showDialog({ title: 'Not deleted', text: 'Orchard mast is used' });
    signedIn({ userId: 7, accessToken: 'access-2' });
    expect(useFeedback.getState().toasts).toHaveLength(1);
    end();
    expect(useFeedback.getState()).toEqual({ toasts: [], dialog: null });
  });
});

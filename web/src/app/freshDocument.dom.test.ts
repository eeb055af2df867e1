import { createMemoryHistory } from '@tanstack/react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useSession } from '@/lib/session/session';
import { testClient } from '@/test/renderWithProviders';
import { signedIn } from '@/test/session';
import { followSession } from './followSession';
import { clearFreshDocumentMark, ensureFreshDocument, pageLoader } from './freshDocument';
import { createConsoleRouter } from './router';

const phone = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36';
const load = vi.fn<(href: string) => void>();

const as = (agent: string) => vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent);

beforeEach(() => {
  load.mockReset();
  vi.spyOn(pageLoader, 'load').mockImplementation(load);
});

/** Whether the browser was told to load an address; the requesting document then goes no further. */
async function reloads(): Promise<boolean> {
  const before = load.mock.calls.length;
  const outcome = await Promise.race([
    ensureFreshDocument('/signin').then(() => 'goes on'),
    new Promise((done) => setTimeout(done, 0, 'waits')),
  ]);
  expect(outcome).toBe(load.mock.calls.length > before ? 'waits' : 'goes on');
  return outcome === 'waits';
}

describe('a fresh document', () => {
  it('is loaded on a phone once, and again only after a sign-in', async () => {
    as(phone);
    expect(await reloads()).toBe(true);
    // As after the reload, and after further manual reloads.
    expect(await reloads()).toBe(false);
    expect(await reloads()).toBe(false);
    clearFreshDocumentMark();
    expect(await reloads()).toBe(true);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is not loaded where no mark can be stored: it would loop', async () => {
    as(phone);
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('no storage', 'SecurityError');
    });
    expect(await reloads()).toBe(false);
  });

  it('is not needed elsewhere', async () => {
    as('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36');
    expect(await reloads()).toBe(false);
    expect(sessionStorage).toHaveLength(0);
  });
});

describe('the sign-in page on a phone', () => {
  let stop: (() => void) | undefined;
  afterEach(() => stop?.());

  const open = (address: string) => {
    const router = createConsoleRouter(testClient(), createMemoryHistory({ initialEntries: [address] }));
    stop = followSession(router, testClient());
    return router;
  };

  it('is reloaded with its whole address when it is opened', async () => {
    as(phone);
    void open('/inform?id=5').load();
    await expect.poll(() => load.mock.calls).toEqual([['/signin?from=%2Finform%3Fid%3D5']]);
  });

  it('opens directly after that reload', async () => {
    as(phone);
    sessionStorage.setItem('tilth.signin-fresh', 'true');
    const router = open('/signin');
    await router.load();
    expect(router.state.location.pathname).toBe('/signin');
    expect(load).not.toHaveBeenCalled();
  });

  it('is reloaded when the user later signs out or loses the session', async () => {
    as(phone);
    sessionStorage.setItem('tilth.signin-fresh', 'true');
    const router = open('/signin');
    await router.load();
    signedIn();
    expect(sessionStorage.getItem('tilth.signin-fresh')).toBeNull();
    await router.navigate({ to: '/signup' });
    useSession.setState({ session: null, ended: 'lost' });
    await expect.poll(() => load.mock.calls).toEqual([['/signin?from=%2Fsignup&ended=true']]);
  });
});

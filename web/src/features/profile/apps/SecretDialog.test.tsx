import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useSession } from '@/lib/session/session';
import { openProfile, paths, profileServer, sentTo, toasts, waitForDialogClosed } from '@/test/profileServer';
import { ok, onPost, refused } from '@/test/server';
import { tokens } from '@/test/session';
import { telemetryServer } from '@/test/telemetryServer';
import { forgetSecret, keepSecret, useFreshSecret } from './freshSecret';

beforeEach(forgetSecret);

// Found by its texts: in tests antd gives every dialog the same id.
const findSecretDialog = async () =>
  (await screen.findByText('Keep the secret now')).closest('[role=dialog]') as HTMLElement;
const done = (dialog: HTMLElement) => within(dialog).getByRole('button', { name: 'Done' });
const stored = (dialog: HTMLElement) => within(dialog).getByRole('checkbox', { name: 'I have stored the secret' });

async function createCredential() {
  const server = profileServer();
  const opened = await openProfile('/profile?tab=app');
  await opened.person.click(await screen.findByRole('button', { name: 'New key' }));
  await opened.person.type(screen.getByRole('textbox', { name: 'Name' }), ' Pump controller {Enter}');
  return { server, ...opened, dialog: await findSecretDialog() };
}

describe('a new secret', () => {
  it('is shown once, with a warning, until the user has stored it', async () => {
    const { server, person, dialog, client } = await createCredential();
    expect(sentTo(server, paths.create)).toMatchObject([{ name: 'Pump controller' }]);
    expect(toasts()).toMatchObject([{ tone: 'success', title: 'Created' }]);
    expect(dialog).toHaveTextContent('“Pump controller” is ready.');
    expect(dialog).toHaveTextContent('ts_secret');
    expect(dialog).toHaveTextContent('Anyone who holds both may do all that the key may.');
    expect(done(dialog)).toBeDisabled();
    await person.click(stored(dialog));
    await person.click(done(dialog));
    await waitForDialogClosed();
    expect(await screen.findByText('Pump controller')).toBeVisible();
    expect(document.body.innerHTML).not.toContain('ts_secret');
    expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain('ts_secret');
    await waitFor(() =>
      expect(
        JSON.stringify(
          client
            .getMutationCache()
            .getAll()
            .map(({ state }) => state),
        ),
      ).not.toContain('ts_secret'),
    );
    expect(useFreshSecret.getState().fresh).toBeNull();
  });

  it('cannot be closed by accident', async () => {
    const { person, dialog, router } = await createCredential();
    await person.keyboard('{Escape}');
    expect(dialog).toBeInTheDocument();
    expect(dialog).not.toHaveClass('ant-zoom-leave');
    await person.click(dialog.closest('.ant-modal-wrap') as HTMLElement);
    expect(dialog).toBeInTheDocument();
    expect(dialog).not.toHaveClass('ant-zoom-leave');
    await person.click(within(dialog).getByRole('button', { name: 'Close' }));
    expect(within(dialog).getByRole('alert')).toHaveTextContent('Tick this first: the secret is never shown again');
    expect(stored(dialog)).toHaveFocus();
    await act(async () => {
      void router.navigate({ to: '/dashboard-default' });
      await Promise.resolve();
    });
    expect(router.state.location.pathname).toBe('/profile');
    expect(useFreshSecret.getState().fresh?.appSecret).toBe('ts_secret');
  });

  it('is not shown to the next user after the session ended', async () => {
    const { router } = await createCredential();
    act(() => useSession.setState({ session: null, ended: 'lost' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/signin'));
    await waitFor(() => expect(document.body.innerHTML).not.toContain('ts_secret'));
    expect(useFreshSecret.getState().fresh).toBeNull();
  });

  it('survives a session that was renewed while it was created', async () => {
    const server = profileServer();
    telemetryServer();
    let first = true;
    server.answers.set(paths.create, () => {
      if (!first) return ok({ id: 9, name: 'Pump', appKey: 'tk_9', appSecret: 'ts_late', enabled: 1 });
      first = false;
      return refused(401);
    });
    onPost('/admin-api/system/auth/refresh-token', () => ok(tokens('2')));
    const { person, router } = await openProfile('/profile?tab=app');
    await person.click(await screen.findByRole('button', { name: 'New key' }));
    await person.type(screen.getByRole('textbox', { name: 'Name' }), 'Pump{Enter}');
    await waitFor(() => expect(screen.queryByRole('tablist')).toBeNull());
    expect(router.state.location.pathname).toBe('/dashboard-default');
    await waitFor(() => expect(useFreshSecret.getState().fresh?.appSecret).toBe('ts_late'));
    await act(() => router.navigate({ to: '/profile', search: { tab: 'app' } }));
    expect(await findSecretDialog()).toHaveTextContent('ts_late');
  });
});

describe('copying', () => {
  const open = async () => {
    profileServer();
    keepSecret({ id: 9, name: 'Pump', appKey: 'tk_9', appSecret: 'ts_secret', enabled: 1 });
    await openProfile('/profile?tab=app');
    return findSecretDialog();
  };
  const copy = (dialog: HTMLElement, name: string) => fireEvent.click(within(dialog).getByRole('button', { name }));

  /** The browser's clipboard; null on an insecure page. */
  const clipboard = (value: object | null) =>
    Object.defineProperty(navigator, 'clipboard', { value: value ?? undefined, configurable: true });
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'clipboard');
  });

  it('puts either value on the clipboard and confirms it', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    const dialog = await open();
    clipboard({ writeText });
    copy(dialog, 'Copy the secret');
    await waitFor(() => expect(within(dialog).getAllByText('Copied').length).toBeGreaterThan(0));
    copy(dialog, 'Copy the key');
    await waitFor(() => expect(writeText.mock.calls).toEqual([['ts_secret'], ['tk_9']]));
  });

  it('leaves the text selected if there is no clipboard', async () => {
    const dialog = await open();
    clipboard(null);
    copy(dialog, 'Copy the secret');
    await waitFor(() => expect(within(dialog).getAllByText('Selected, copy it by hand').length).toBeGreaterThan(0));
    expect(window.getSelection()?.toString()).toBe('ts_secret');
  });
});

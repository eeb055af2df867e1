import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { vi } from 'vitest';
import { SignInPage } from '@/features/signin/SignInPage';
import { useFeedback } from '@/lib/feedback/feedback';
import { renderWithProviders } from './renderWithProviders';
import { ok, onGet, onPost } from './server';
import { tokens } from './session';

export const login = '/app-api/member/auth/login-username';
export const byWebsite = '/admin-api/system/tenant/get-by-website';
export const idByName = '/admin-api/system/tenant/get-id-by-name';
export const ways = '/app-api/member/auth/ways';
export const settings = '/admin-api/system/console/settings';

/** The installation's settings. */
export function stubSettings({ captcha = 'off', defaultTenant = 'demo' } = {}) {
  onGet(settings, () => ok({ version: '0.1.0', defaultTenant, mapTiles: null, captcha }));
  onGet(idByName, () => ok(7));
  stubWays();
}

/** How the tenant's people sign in: with a password alone, or at an issuer of this name, too. */
export function stubWays(name?: string, startUrl = '/auth/oidc/start?tenant=demo') {
  onGet(ways, () => ok({ password: true, oidc: name === undefined ? null : { name, startUrl } }));
}

export function openSignIn({ ended = false } = {}) {
  const onSubmit = vi.fn();
  const drawn = renderWithProviders(<SignInPage ended={ended} onSubmit={onSubmit} />);
  return { ...drawn, onSubmit, person: userEvent.setup() };
}

/** The same within a router, which dialogs need. */
export async function openRoutedSignIn() {
  const root = createRootRoute({ component: () => <SignInPage ended={false} onSubmit={vi.fn()} /> });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  renderWithProviders(<RouterProvider router={router as never} />);
  await screen.findByLabelText('Password');
  return { person: userEvent.setup() };
}

export const userName = () => screen.getByLabelText('User name');
export const password = () => screen.getByLabelText('Password');
export const button = () => screen.getByRole('button', { name: /^Sign/ });
export const toasts = () => useFeedback.getState().toasts;

export async function fillSignIn(
  person: ReturnType<typeof userEvent.setup>,
  name = 'elif.kaya',
  secret = 'correct horse',
) {
  await person.type(userName(), name);
  await person.type(password(), secret);
}

/** Records the sign-in requests. */
export function stubLogin() {
  const loginRequests: unknown[] = [];
  onPost(login, async ({ request }) => {
    loginRequests.push(await request.json());
    return ok(tokens('1'));
  });
  return loginRequests;
}

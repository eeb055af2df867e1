import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { vi } from 'vitest';
import { SignInPage } from '@/features/signin/SignInPage';
import { useNotices } from '@/lib/notices';
import { renderPart } from './part';
import { ok, onGet, onPost } from './server';
import { tokens } from './session';

export const login = '/app-api/member/auth/login-username';
export const byWebsite = '/admin-api/system/tenant/get-by-website';
export const settings = '/admin-api/system/console/settings';

/** The installation's settings. */
export function told({ captcha = 'off', defaultTenant = 'demo' } = {}) {
  onGet(settings, () => ok({ version: '0.1.0', defaultTenant, mapTiles: null, captcha }));
}

export function open({ ended = false } = {}) {
  const onSubmit = vi.fn();
  const drawn = renderPart(<SignInPage ended={ended} onSubmit={onSubmit} />);
  return { ...drawn, onSubmit, person: userEvent.setup() };
}

export const userName = () => screen.getByLabelText('User name');
export const password = () => screen.getByLabelText('Password');
export const button = () => screen.getByRole('button', { name: /^Sign/ });
export const toasts = () => useNotices.getState().toasts;

export async function fill(person: ReturnType<typeof userEvent.setup>, name = 'elif.kaya', secret = 'correct horse') {
  await person.type(userName(), name);
  await person.type(password(), secret);
}

/** Keeps what sign-in was asked with. */
export function accepts() {
  const asked: unknown[] = [];
  onPost(login, async ({ request }) => {
    asked.push(await request.json());
    return ok(tokens('1'));
  });
  return asked;
}

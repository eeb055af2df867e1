import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { openConsole } from '@/test/console';
import { server } from '@/test/server';
import { signedIn } from '@/test/session';
import { shellServer } from '@/test/shellServer';

describe('the sign-up form', () => {
  it('sends nothing and says so', async () => {
    shellServer();
    await openConsole('/signup');
    const person = userEvent.setup();
    await person.type(await screen.findByLabelText('Name'), 'Elif');
    await person.type(screen.getByLabelText('Email address'), 'elif@example.com');
    await person.type(screen.getByLabelText('Password'), 'long-enough-secret');
    await person.click(screen.getByRole('checkbox', { name: 'I agree to the terms of use' }));
    const status = within(screen.getByRole('main')).getByRole('status');
    expect(status).toBeEmptyDOMElement();
    const sent: string[] = [];
    server.events.on('request:start', ({ request }) => sent.push(request.url));
    await person.click(screen.getByRole('button', { name: 'Sign up' }));
    expect(status).toHaveTextContent('This is a demo: nothing was sent and no account was made.');
    expect(sent).toEqual([]);
    server.events.removeAllListeners();
    expect(screen.getByLabelText('Name')).toHaveValue('Elif');
    expect(screen.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/signin');
  });

  it('is in the user’s language', async () => {
    shellServer();
    await useLanguage.getState().setLanguage('zh-cn');
    await openConsole('/signup');
    expect(await screen.findByRole('button', { name: '注册' })).toBeVisible();
    expect(screen.getByRole('note')).toHaveTextContent('演示页面：示例数据');
  });
});

describe('the virtual reality', () => {
  it('lets the user look around, shows readings and leads back', async () => {
    shellServer();
    signedIn();
    await openConsole('/virtual-reality');
    const look = await screen.findByRole('slider', { name: 'Look around' });
    const page = screen.getByRole('main');
    expect(page.style.getPropertyValue('--look')).toBe('0.5');
    fireEvent.change(look, { target: { value: '80' } });
    expect(page.style.getPropertyValue('--look')).toBe('0.8');
    expect(within(page).getByText('Soil moisture').nextSibling).toHaveTextContent('31%');
    expect(screen.getByRole('link', { name: 'To the home page' })).toHaveAttribute('href', '/dashboard-default');
  });
});

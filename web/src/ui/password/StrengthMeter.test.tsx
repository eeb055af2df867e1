import { act, render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { elif } from '@/test/profileServer';
import { StrengthMeter } from './StrengthMeter';
import css from './StrengthMeter.module.css';

const hint = 'Three or four words that have nothing to do with each other are strong and easy to remember.';
const status = () => screen.getByRole('status');
const steps = () => document.querySelectorAll(`.${css.full}`).length;

function meter(first = '', minimum = 6) {
  const draw = (password: string) => <StrengthMeter password={password} minimum={minimum} person={elif} />;
  const { rerender } = render(draw(first));
  return { type: (password: string) => rerender(draw(password)) };
}

describe('the strength of a password', () => {
  it.each([
    ['xk4Tq', 'Too short', 0, hint],
    ['xk4Tq9', 'Weak', 1, 'Add another word or two, the rarer the better.'],
    ['sunshine', 'Weak', 1, 'This is one of the most common passwords. Add another word or two, the rarer the better.'],
    ['xk4Tq9Zp', 'Fair', 2, 'Add another word or two, the rarer the better.'],
    ['xk4Tq9Zp2v', 'Good', 3, 'Use it here and nowhere else.'],
    ['pump lantern violet river', 'Strong', 4, 'Use it here and nowhere else.'],
  ])('%s: %s', async (password, word, full, told) => {
    const { type } = meter();
    expect(screen.getByText(hint)).toBeVisible();
    expect(steps()).toBe(0);
    type(password);
    const levelText = await screen.findByText(word, { ignore: '[role=status]' });
    expect(levelText).toBeVisible();
    expect(levelText.querySelector('.anticon')).toHaveAttribute('aria-hidden', 'true');
    expect(steps()).toBe(full);
    expect(document.querySelector(`.${css.told}`)).toHaveTextContent(told);
    type('');
    expect(screen.queryByText(word)).toBeNull();
    expect(screen.getByText(hint)).toBeVisible();
  });

  it('counts what others know about the user as known', async () => {
    meter('Kaya.Elif1');
    expect(await screen.findByText(/^It contains your name, email, mobile number or farm/)).toBeVisible();
  });

  it('uses the provider’s minimum', async () => {
    const { type } = meter('xk4Tq9Zp2v', 12);
    expect(await screen.findByText('Too short')).toBeVisible();
    type('xk4Tq9Zp2v7r');
    expect(await screen.findByText('Strong')).toBeVisible();
  });

  it('is announced once the user pauses, not at each keystroke', async () => {
    const { type } = meter('sunshin');
    await screen.findByText('Weak');
    vi.useFakeTimers();
    const pause = (ms: number) => act(() => vi.advanceTimersByTime(ms));
    type('sunshine');
    pause(999);
    expect(status()).toHaveTextContent('');
    type('sunshine stable');
    pause(999);
    expect(status()).toHaveTextContent('');
    type('sunshine');
    pause(1000);
    expect(status()).toHaveTextContent(
      'Password strength: Weak. This is one of the most common passwords. Add another word or two, the rarer the better.',
    );
    type('pump lantern violet river');
    pause(1000);
    expect(status()).toHaveTextContent('Password strength: Strong. Use it here and nowhere else.');
    type('');
    expect(status()).toHaveTextContent('');
    vi.useRealTimers();
  });

  it('says that it cannot be estimated, until it can', async () => {
    vi.doMock('./estimate', () => {
      throw new TypeError('Failed to fetch dynamically imported module');
    });
    const { type } = meter('sunshine');
    const sentence = 'The strength cannot be shown: a part of the console could not be loaded.';
    expect(await screen.findByText(sentence, { ignore: '[role=status]' })).toBeVisible();
    expect(screen.queryByText('Weak')).toBeNull();
    await waitFor(() => expect(status()).toHaveTextContent(sentence), { timeout: 10_000 });
    vi.doUnmock('./estimate');
    type('');
    expect(screen.queryByText(sentence)).toBeNull();
    type('sunshine');
    expect(await screen.findByText('Weak')).toBeVisible();
  });

  it.each([
    [
      'en-us',
      'Weak',
      'This is one of the first passwords that anyone tries. Add another word or two, the rarer the better.',
    ],
    ['zh-cn', '弱', '这是别人最先会尝试的密码之一。请再加一两个词，越少见越好。'],
    [
      'tr-tr',
      'Zayıf',
      'Herkesin ilk deneyeceği parolalardan biri. Bir iki sözcük daha ekleyin; ne kadar az bilinirse o kadar iyi.',
    ],
    [
      'ru-ru',
      'Слабый',
      'Один из первых паролей, которые пробует любой. Добавьте ещё одно-два слова, чем реже, тем лучше.',
    ],
  ])('speaks %s', async (language, word, told) => {
    await useLanguage.getState().setLanguage(language as Language);
    meter('123456');
    expect(await screen.findByText(word)).toBeVisible();
    expect(screen.getByText(told)).toBeVisible();
  });
});

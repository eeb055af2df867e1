import { act, render, screen } from '@testing-library/react';
import { createRef } from 'react';
import { expect, vi } from 'vitest';
import { CaptchaPanel } from '@/features/signin/captcha/CaptchaPanel';
import { captchaServer, drag, drop, slider, waitWithoutClock } from './captcha';

// The captcha's panel alone, with a clock that the tests hold.

export const onVerified = vi.fn<(verification: string) => void>();
export const onClose = vi.fn();

/** Before each test: a fake server, and time that stands still until `advance`. */
export function holdCaptcha() {
  onVerified.mockReset();
  onClose.mockReset();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  return captchaServer();
}

export const picture = () => screen.queryByRole('img', { name: 'Picture with a gap for the piece' });
export const phase = () => slider().parentElement?.dataset.phase;
export const words = () => screen.getByRole('status').textContent;
export const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

export const renderPanel = () =>
  render(<CaptchaPanel slider={createRef()} onVerified={onVerified} onClose={onClose} />);

/** Opens the panel and waits for its picture. */
export async function openPanel() {
  const drawn = renderPanel();
  await waitWithoutClock(() => expect(phase()).toBe('idle'));
  return drawn;
}

/** Drags to a place, releases, and waits for the server's answer. */
export async function slide(x: number, outcome: 'ok' | 'fail') {
  drag(x);
  drop(x);
  await waitWithoutClock(() => expect(phase()).toBe(outcome));
}

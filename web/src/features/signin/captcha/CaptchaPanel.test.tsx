import { act, fireEvent, screen } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { captchaAnswer, decrypt, drag, drop, slider, sliderTravel, waitWithoutClock } from '@/test/captcha';
import {
  advance,
  holdCaptcha,
  onClose,
  onVerified,
  openPanel,
  phase,
  picture,
  renderPanel,
  slide,
  words,
} from '@/test/captchaPanel';

let server: ReturnType<typeof holdCaptcha>;

beforeEach(() => {
  server = holdCaptcha();
});

afterEach(() => {
  vi.useRealTimers();
});

const piece = () => (document.querySelector('img[alt=""]') as HTMLElement).style.left;

describe('a drag', () => {
  it('moves the piece with the handle, is checked on release, and passes after a second', async () => {
    await openPanel();
    expect(server.gets).toEqual([{ captchaType: 'blockPuzzle' }]);
    expect(picture()).toHaveAttribute('src', 'data:image/png;base64,YmFja2dyb3VuZA1=');
    expect(words()).toBe('Slide right to verify');
    drag(118);
    expect(phase()).toBe('dragging');
    expect(Number.parseFloat(piece())).toBeCloseTo((118 / 310) * 100, 3);
    expect(Number(slider().parentElement?.style.getPropertyValue('--at'))).toBeCloseTo(118 / sliderTravel.basis, 6);
    await advance(2430);
    drop(118);
    expect(phase()).toBe('checking');
    expect(words()).toBe('Checking');
    await waitWithoutClock(() => expect(phase()).toBe('ok'));
    expect(words()).toBe('Verified in 2.4 s');
    expect(server.checks).toEqual([{ captchaType: 'blockPuzzle', token: 'token-1', point: { x: 118, y: 5 } }]);
    await advance(999);
    expect(onVerified).not.toHaveBeenCalled();
    await advance(1);
    expect(onVerified).toHaveBeenCalledTimes(1);
    expect(decrypt(onVerified.mock.calls[0]?.[0] ?? '')).toBe('token-1---{"x":118,"y":5}');
  });

  it('sends the position of the release in units of 310, however wide the picture is', async () => {
    server.target = 200;
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(264);
    await openPanel();
    fireEvent.pointerDown(slider(), { pointerId: 1, button: 0, clientX: 50 });
    fireEvent.pointerUp(slider(), { pointerId: 1, button: 0, clientX: 50 + (200 / 263) * 220 + 0.1 });
    await waitWithoutClock(() => expect(phase()).toBe('ok'));
    expect(server.checks[0]?.point).toEqual({ x: 200.12, y: 5 });
  });

  it('does not go beyond the picture', async () => {
    await openPanel();
    drag(900);
    expect(slider()).toHaveAttribute('aria-valuenow', '263');
    drag(-50);
    drop(-50);
    expect(phase()).toBe('idle');
    expect(server.checks).toEqual([]);
  });

  it('costs no attempt if it was only a tap or was cancelled', async () => {
    await openPanel();
    drag(0.4);
    drop(0.4);
    expect(phase()).toBe('idle');
    drag(80);
    fireEvent.pointerCancel(slider(), { pointerId: 1 });
    expect(phase()).toBe('idle');
    expect(slider()).toHaveAttribute('aria-valuenow', '0');
    fireEvent.pointerUp(slider(), { pointerId: 1, button: 0, clientX: 500 });
    expect(server.checks).toEqual([]);
    await slide(120, 'ok');
  });

  it('takes only one finger and only the main button', async () => {
    await openPanel();
    fireEvent.pointerDown(slider(), { pointerId: 1, button: 2, clientX: 0 });
    expect(phase()).toBe('idle');
    drag(60);
    fireEvent.pointerMove(slider(), { pointerId: 2, clientX: 900 });
    fireEvent.pointerUp(slider(), { pointerId: 2, clientX: 900 });
    expect(phase()).toBe('dragging');
    expect(slider()).toHaveAttribute('aria-valuenow', '60');
  });

  it('begins where keys have moved the piece to', async () => {
    await openPanel();
    fireEvent.keyDown(slider(), { key: 'ArrowRight', shiftKey: true });
    drag(120, 10);
    expect(slider()).toHaveAttribute('aria-valuenow', '120');
  });
});

describe('by keyboard', () => {
  const press = (key: string, init = {}) => fireEvent.keyDown(slider(), { key, ...init });

  it('has the focus at once, moves finely and with Shift coarsely, and is checked with Enter', async () => {
    renderPanel();
    expect(slider()).toHaveFocus();
    expect(slider()).toHaveAttribute('aria-disabled', 'true');
    press('ArrowRight');
    await waitWithoutClock(() => expect(phase()).toBe('idle'));
    expect(slider()).toHaveAttribute('aria-disabled', 'false');
    expect(slider()).toHaveAttribute('aria-valuenow', '0');
    for (let i = 0; i < 12; i += 1) press('ArrowRight', { shiftKey: true });
    press('ArrowUp');
    press('ArrowLeft');
    press('ArrowDown');
    expect(slider()).toHaveAttribute('aria-valuenow', '119');
    expect(slider()).toHaveAttribute('aria-valuetext', 'Piece at 45%');
    expect(slider()).toHaveAccessibleDescription(/Drag, or use ← → and Enter/);
    await advance(3000);
    press('Enter');
    await waitWithoutClock(() => expect(words()).toBe('Verified in 3.0 s'));
    expect(server.checks[0]?.point).toEqual({ x: 119, y: 5 });
  });

  it('stops at both ends', async () => {
    await openPanel();
    press('ArrowLeft');
    expect(slider()).toHaveAttribute('aria-valuenow', '0');
    press('ArrowRight', { shiftKey: true });
    press('ArrowLeft');
    expect(slider()).toHaveAttribute('aria-valuenow', '9');
    expect(slider()).toHaveAttribute('aria-valuetext', 'Piece at 3%');
    for (let i = 0; i < 30; i += 1) press('ArrowRight', { shiftKey: true });
    expect(slider()).toHaveAttribute('aria-valuenow', '263');
  });

  it('does not check an unmoved piece and ignores other keys', async () => {
    await openPanel();
    press('Enter');
    expect(phase()).toBe('idle');
    expect(press('Tab')).toBe(true);
    expect(press('ArrowRight', { altKey: true })).toBe(true);
    expect(press('ArrowRight')).toBe(false);
    expect(slider()).toHaveAttribute('aria-valuenow', '1');
  });

  it('closes with Escape wherever the focus is, and nothing passes after that', async () => {
    const { unmount } = await openPanel();
    await slide(120, 'ok');
    fireEvent.keyDown(document.body, { key: 'Escape' });
    expect(onClose).toHaveBeenCalledTimes(1);
    unmount();
    await advance(5000);
    expect(onVerified).not.toHaveBeenCalled();
    expect(server.gets).toHaveLength(1);
  });
});

describe('a failure', () => {
  it('is shown in red for a second, then another picture comes', async () => {
    await openPanel();
    await slide(40, 'fail');
    expect(words()).toBe('Verification failed, try again');
    expect(slider()).toHaveAttribute('aria-valuenow', '40');
    await advance(999);
    expect(server.gets).toHaveLength(1);
    await advance(1);
    await waitWithoutClock(() => expect(phase()).toBe('idle'));
    expect(picture()).toHaveAttribute('src', expect.stringContaining('YmFja2dyb3VuZA2'));
    expect(slider()).toHaveAttribute('aria-valuenow', '0');
    await slide(120, 'ok');
    expect(server.checks.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
  });

  it('that is one too many ends in the server’s refusal of another picture, which can be asked for again', async () => {
    const locked = 'Too many failures. Try again in 5 min';
    await openPanel();
    await slide(40, 'fail');
    server.getAnswers.push(
      () => captchaAnswer('6202', locked),
      () => captchaAnswer('6202', locked),
    );
    await advance(1000);
    await waitWithoutClock(() => expect(phase()).toBe('broken'));
    expect(screen.getByRole('alert')).toHaveTextContent(locked);
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    await waitWithoutClock(() => expect(server.gets).toHaveLength(3));
    await waitWithoutClock(() => expect(screen.getByRole('alert')).toHaveTextContent(locked));
    expect(phase()).toBe('broken');
  });

  it.each([
    ['6202', 'Too many failures. Try again in 5 min', 'Too many failures. Try again in 5 min'],
    ['6204', 'Too many tries', 'Too many tries'],
    ['6202', null, 'Verification failed, try again'],
    ['6110', 'expired', 'Verification failed, try again'],
    ['9999', 'fault', 'Verification failed, try again'],
  ] as const)('of code %s (%s) reads: %s', async (code, message, shown) => {
    server.checkAnswers.push(() => captchaAnswer(code, message));
    await openPanel();
    await slide(120, 'fail');
    expect(words()).toBe(shown);
  });

  it('to reach the server is shown as such', async () => {
    server.checkAnswers.push(() => HttpResponse.error());
    await openPanel();
    await slide(120, 'fail');
    expect(words()).toBe('Cannot connect to the server');
  });
});

it('sends and returns plain text if the server sends no key', async () => {
  server.secretKey = '';
  await openPanel();
  await slide(120, 'ok');
  await advance(1000);
  expect(onVerified).toHaveBeenCalledWith('token-1---{"x":120,"y":5}');
});

it('follows the language while it is open, numbers included', async () => {
  await openPanel();
  drag(40);
  await advance(1840);
  drop(120);
  await waitWithoutClock(() => expect(phase()).toBe('ok'));
  await act(() => useLanguage.getState().setLanguage('tr-tr'));
  expect(words()).toBe('Doğrulandı (1,8 sn)');
  expect(screen.getByRole('dialog', { name: 'Parçayı yerine kaydırın' })).toBeVisible();
});

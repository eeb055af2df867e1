import { createDecipheriv } from 'node:crypto';
import { act, fireEvent, screen } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { vi } from 'vitest';
import type { CaptchaAnswer, CaptchaData } from '@/lib/http/captcha';
import { onPost } from './server';

const captchaKey = 'XwKsGlMcdPMEhR1B';
const trackWidth = 376;
const handleWidth = 44;
/** How far the slider's handle can go, in pixels, and the piece with it, in the basis of its coordinates. */
export const sliderTravel = { pixels: trackWidth - handleWidth, basis: 263 };

export const captchaAnswer = (
  repCode: CaptchaAnswer['repCode'],
  repMsg: string | null = null,
  repData: CaptchaData | null = null,
) => HttpResponse.json({ repCode, repMsg, repData, success: repCode === '0000' });

/** Decrypts what was encrypted for the server, with an independent implementation. */
export function decrypt(text: string): string {
  const decipher = createDecipheriv('aes-128-ecb', captchaKey, null);
  return decipher.update(text, 'base64', 'utf8') + decipher.final('utf8');
}

/** A fake server of slider captchas, with the layout that jsdom lacks. A test changes its answers. */
export function captchaServer() {
  const state = {
    target: 120,
    secretKey: captchaKey,
    gets: [] as unknown[],
    checks: [] as { token: string; point: { x: number; y: number }; captchaType: string }[],
    /** Answers to give instead, once each. */
    getAnswers: [] as (() => Response | Promise<Response>)[],
    checkAnswers: [] as (() => Response | Promise<Response>)[],
  };
  onPost('/admin-api/system/captcha/get', async ({ request }) => {
    state.gets.push(await request.json());
    const answer = state.getAnswers.shift();
    if (answer) return answer();
    return captchaAnswer('0000', null, {
      originalImageBase64: `YmFja2dyb3VuZA${state.gets.length}=`,
      jigsawImageBase64: 'cGllY2U=',
      token: `token-${state.gets.length}`,
      secretKey: state.secretKey,
    });
  });
  onPost('/admin-api/system/captcha/check', async ({ request }) => {
    const { captchaType, token, pointJson } = (await request.json()) as Record<string, string>;
    const plain = state.secretKey ? decrypt(pointJson ?? '') : (pointJson ?? '');
    state.checks.push({ captchaType: captchaType ?? '', token: token ?? '', point: JSON.parse(plain) });
    const answer = state.checkAnswers.shift();
    if (answer) return answer();
    const near = Math.abs(Math.trunc(JSON.parse(plain).x) - state.target) <= 5;
    return near
      ? captchaAnswer('0000', null, { captchaType, token, pointJson, result: true })
      : captchaAnswer('6111', 'not the place');
  });

  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(trackWidth);
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(handleWidth);
  Element.prototype.setPointerCapture = () => undefined;
  Element.prototype.scrollIntoView = () => undefined;
  return state;
}

export const slider = () => screen.getByRole('slider', { name: 'Slide the piece into place' });

const pointerAt = (x: number) => ({
  pointerId: 1,
  button: 0,
  clientX: 300 + (x / sliderTravel.basis) * sliderTravel.pixels,
});

/** Grabs the handle, moves it to a coordinate, and holds it there. */
export function drag(x: number, from = 0): void {
  fireEvent.pointerDown(slider(), pointerAt(from));
  fireEvent.pointerMove(slider(), pointerAt((from + x) / 2));
  fireEvent.pointerMove(slider(), pointerAt(x));
}

export function drop(x: number): void {
  fireEvent.pointerUp(slider(), pointerAt(x));
}

/** Waits without timers, for tests that freeze the clock. */
export async function waitWithoutClock<T>(check: () => T): Promise<T> {
  for (let turn = 0; turn < 500; turn += 1) {
    try {
      return check();
    } catch {
      await act(() => new Promise((done) => setImmediate(done)));
    }
  }
  return check();
}

/** Waits for a puzzle and solves it. */
export async function solvePuzzle({ target }: { target: number }): Promise<void> {
  await waitWithoutClock(() => screen.getByRole('img', { name: 'Picture with a gap for the piece' }));
  drag(target);
  drop(target);
  await waitWithoutClock(() => screen.getByText(/^Verified in/));
}

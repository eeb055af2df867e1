import { act, fireEvent, screen } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { captchaAnswer, drag, drop, slider, waitWithoutClock } from '@/test/captcha';
import { advance, holdCaptcha, openPanel, phase, picture, renderPanel } from '@/test/captchaPanel';
import { gate } from '@/test/gate';

let server: ReturnType<typeof holdCaptcha>;

beforeEach(() => {
  server = holdCaptcha();
});

afterEach(() => {
  vi.useRealTimers();
});

const hide = (hidden: boolean) => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden);
  act(() => {
    document.dispatchEvent(new Event('visibilitychange'));
  });
};

describe('a picture', () => {
  const retry = () => screen.getByRole('button', { name: 'Retry' });

  it.each([
    [
      'the server’s sentence',
      () => captchaAnswer('6201', 'Too many pictures. Wait a minute'),
      'Too many pictures. Wait a minute',
    ],
    ['a general error without a sentence', () => captchaAnswer('6112', null), 'Unknown system error'],
    ['a missing connection', () => HttpResponse.error(), 'Cannot connect to the server'],
    ['an answer that is not a puzzle', () => captchaAnswer('0000', null, { token: 't' }), 'Unknown system error'],
    ['a proxy’s error page', () => new HttpResponse('<html>', { status: 502 }), 'The server answered with status 502'],
  ])('shows %s with a retry if it cannot be fetched', async (_, answer, shown) => {
    server.getAnswers.push(answer);
    renderPanel();
    const note = await waitWithoutClock(() => screen.getByRole('alert'));
    expect(note).toHaveTextContent('The picture did not arrive');
    expect(note).toHaveTextContent(shown);
    expect(slider()).toHaveAttribute('aria-disabled', 'true');
    fireEvent.click(retry());
    await waitWithoutClock(() => expect(phase()).toBe('idle'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is fetched again if it cannot be drawn', async () => {
    await openPanel();
    fireEvent.error(picture() as HTMLElement);
    expect(screen.getByRole('alert')).toHaveTextContent('The picture did not arrive');
    fireEvent.click(retry());
    await waitWithoutClock(() => expect(phase()).toBe('idle'));
  });

  it('is replaced on request, one call at a time', async () => {
    await openPanel();
    const refresh = screen.getByRole('button', { name: 'New picture' });
    const slow = gate();
    server.getAnswers.push(() => slow.passed.then(() => captchaAnswer('6112', 'late')));
    fireEvent.click(refresh);
    expect(refresh).toHaveAttribute('aria-disabled', 'true');
    fireEvent.click(refresh);
    await waitWithoutClock(() => expect(server.gets).toHaveLength(2));
    slow.open();
    await waitWithoutClock(() => expect(phase()).toBe('broken'));
    expect(server.gets).toHaveLength(2);
  });

  it('is replaced when it is due, and the panel says when that is', async () => {
    await openPanel();
    expect(screen.getByText('New picture in 2:00')).toBeVisible();
    await advance(12_000);
    expect(screen.getByText('New picture in 1:48')).toBeVisible();
    await advance(107_999);
    expect(server.gets).toHaveLength(1);
    await advance(1);
    await waitWithoutClock(() => expect(server.gets).toHaveLength(2));
    await waitWithoutClock(() => expect(phase()).toBe('idle'));
    await advance(120_000);
    await waitWithoutClock(() => expect(server.gets).toHaveLength(3));
  });

  it('stays during a drag and is replaced afterwards', async () => {
    await openPanel();
    drag(90);
    await advance(125_000);
    expect(phase()).toBe('dragging');
    expect(server.gets).toHaveLength(1);
    fireEvent.pointerCancel(slider(), { pointerId: 1 });
    await advance(0);
    await waitWithoutClock(() => expect(server.gets).toHaveLength(2));
  });

  it('is still checked after too long a drag, since the server keeps it a little longer', async () => {
    await openPanel();
    drag(120);
    await advance(125_000);
    drop(120);
    await waitWithoutClock(() => expect(phase()).toBe('ok'));
    expect(server.gets).toHaveLength(1);
  });

  it('is not replaced in a hidden page, but as soon as the page is visible', async () => {
    await openPanel();
    hide(true);
    await advance(600_000);
    expect(server.gets).toHaveLength(1);
    hide(false);
    await waitWithoutClock(() => expect(server.gets).toHaveLength(2));
  });
});

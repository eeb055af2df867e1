import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Detail, detailOf, notice } from '@/test/inform';
import { testClient } from '@/test/part';
import { noticeKeys } from '../queries';
import { useToldLive } from './useToldLive';

const start = new Date(2026, 10, 21, 12).getTime();
const second = 1000;

beforeEach(() => vi.useFakeTimers({ now: start, toFake: ['Date', 'setInterval', 'clearInterval'] }));
afterEach(() => vi.useRealTimers());

const waiting = (change: Partial<Detail['deliveries'][number]>) =>
  detailOf(notice({ id: 5 }), {
    deliveries: [
      {
        id: 1,
        channel: 'Night crew',
        recipient: 'a@farm.example',
        mode: 'email',
        event: 'triggered',
        state: 'queued',
        attempts: 0,
        createTime: start,
        updateTime: start,
        steps: [],
        ...change,
      },
    ],
  });

/** Shows a detail as of a time, and counts how often it is asked for anew. */
function look(detail: Detail) {
  const client = testClient();
  const asked = vi.spyOn(client, 'invalidateQueries');
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { rerender } = renderHook((props: { of: Detail; asOf: number }) => useToldLive(props.of, props.asOf), {
    wrapper,
    initialProps: { of: detail, asOf: start },
  });
  return {
    asked,
    answer: (of: Detail) => rerender({ of, asOf: Date.now() }),
    pass: (seconds: number) => act(() => vi.advanceTimersByTime(seconds * second)),
  };
}

it('looks a few times after a try was due, and then waits for news', () => {
  const detail = waiting({});
  const { asked, answer, pass } = look(detail);
  pass(2);
  expect(asked).not.toHaveBeenCalled();
  pass(2);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(asked).toHaveBeenCalledWith({ queryKey: [...noticeKeys.kind('notice'), 5] });
  // Nobody answers: it is not asked again and again.
  pass(60);
  expect(asked).toHaveBeenCalledTimes(1);
  answer(detail);
  pass(600);
  expect(asked).toHaveBeenCalledTimes(1);
});

it('looks at the time that the server named, and follows it to the next', () => {
  const { asked, answer, pass } = look(waiting({ reason: 'retry', nextTime: start + 30 * second }));
  pass(32);
  expect(asked).not.toHaveBeenCalled();
  pass(2);
  expect(asked).toHaveBeenCalledTimes(1);
  answer(waiting({ reason: 'retry', nextTime: start + 90 * second }));
  pass(58);
  expect(asked).toHaveBeenCalledTimes(1);
  pass(3);
  expect(asked).toHaveBeenCalledTimes(2);
});

it('does not look while nothing has a time', () => {
  const { asked, pass } = look(waiting({ reason: 'trigger' }));
  pass(600);
  expect(asked).not.toHaveBeenCalled();
});

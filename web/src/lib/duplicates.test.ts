import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refuseDuplicate } from './duplicates';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
});

const refusal = { code: 601, kind: 'business', msg: 'data is being processed' };

it('refuses the same again within a second', () => {
  refuseDuplicate('POST', '/a', { name: 'x' });
  vi.advanceTimersByTime(999);
  expect(() => refuseDuplicate('POST', '/a', { name: 'x' })).toThrow(expect.objectContaining(refusal));
  vi.advanceTimersByTime(1);
  expect(() => refuseDuplicate('POST', '/a', { name: 'x' })).not.toThrow();
});

it('lets pass what differs in path, method or content', () => {
  refuseDuplicate('POST', '/b', { name: 'x' });
  expect(() => refuseDuplicate('POST', '/b', { name: 'y' })).not.toThrow();
  expect(() => refuseDuplicate('PUT', '/b', { name: 'x' })).not.toThrow();
  expect(() => refuseDuplicate('POST', '/c', { name: 'x' })).not.toThrow();
});

it('takes calls without content for the same', () => {
  refuseDuplicate('POST', '/d', undefined);
  expect(() => refuseDuplicate('POST', '/d', undefined)).toThrow(expect.objectContaining(refusal));
});

it('does not compare five megabytes and more', () => {
  const long = 'x'.repeat(5 * 1024 * 1024);
  refuseDuplicate('POST', '/e', long);
  expect(() => refuseDuplicate('POST', '/e', long)).not.toThrow();
});

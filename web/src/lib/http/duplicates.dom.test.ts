import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refuseDuplicate } from './duplicates';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
});

const refusal = { code: 601, kind: 'duplicate', msg: 'data is being processed' };

it('refuses the same again within a second', () => {
  refuseDuplicate('POST', '/a', { name: 'x' });
  vi.advanceTimersByTime(999);
  expect(() => refuseDuplicate('POST', '/a', { name: 'x' })).toThrow(expect.objectContaining(refusal));
  vi.advanceTimersByTime(1);
  expect(() => refuseDuplicate('POST', '/a', { name: 'x' })).not.toThrow();
});

it('allows requests that differ in path, method or content', () => {
  refuseDuplicate('POST', '/b', { name: 'x' });
  expect(() => refuseDuplicate('POST', '/b', { name: 'y' })).not.toThrow();
  expect(() => refuseDuplicate('PUT', '/b', { name: 'x' })).not.toThrow();
  expect(() => refuseDuplicate('POST', '/c', { name: 'x' })).not.toThrow();
});

it('treats calls without content as the same', () => {
  refuseDuplicate('POST', '/d', undefined);
  expect(() => refuseDuplicate('POST', '/d', undefined)).toThrow(expect.objectContaining(refusal));
});

it('compares payloads up to five megabytes, in bytes and including files, and no longer ones', () => {
  const limit = 5 * 1024 * 1024;
  const sizes = (size: number) => [
    // Two bytes are the quotes.
    'x'.repeat(size - 2),
    'ş'.repeat((size - (size % 2) - 2) / 2) + 'x'.repeat(size % 2),
  ];
  for (const payload of sizes(limit - 1)) {
    refuseDuplicate('POST', '/e', payload);
    expect(() => refuseDuplicate('POST', '/e', payload)).toThrow(expect.objectContaining(refusal));
  }
  for (const payload of [...sizes(limit), { file: new File(['x'.repeat(limit)], 'x.png') }]) {
    refuseDuplicate('POST', '/f', payload);
    expect(() => refuseDuplicate('POST', '/f', payload)).not.toThrow();
  }
});

it('distinguishes files by their metadata', () => {
  const file = (content: string, name: string) => ({ file: new File([content], name, { lastModified: 1 }) });
  refuseDuplicate('POST', '/g', file('one', 'a.png'));
  expect(() => refuseDuplicate('POST', '/g', file('one', 'b.png'))).not.toThrow();
  expect(() => refuseDuplicate('POST', '/g', file('three', 'a.png'))).not.toThrow();
  expect(() => refuseDuplicate('POST', '/g', file('one', 'a.png'))).toThrow(expect.objectContaining(refusal));
});

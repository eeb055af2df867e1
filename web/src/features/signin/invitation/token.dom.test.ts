import { expect, it, vi } from 'vitest';
import { storedToken, storeToken } from './token';

it('keeps a token for the tab until it is dropped', () => {
  expect(storedToken()).toBe('');
  storeToken('abc');
  expect(storedToken()).toBe('abc');
  expect(sessionStorage).toHaveLength(1);
  storeToken('');
  expect(storedToken()).toBe('');
  expect(sessionStorage).toHaveLength(0);
});

it('does without a forbidden storage', () => {
  const forbid = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(forbid);
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(forbid);
  storeToken('abc');
  expect(storedToken()).toBe('');
});

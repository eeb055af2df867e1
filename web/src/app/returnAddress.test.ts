import { expect, it } from 'vitest';
import { returnAddress, signInSearch } from './returnAddress';

it.each(['/message', '/inform?id=5', '/data#a', '/a/b?x=//y', '/dashboard-default?device=WS-1'])(
  '%s is an address to come back to',
  (address) => {
    expect(returnAddress(address)).toBe(address);
  },
);

it.each(['/', '/dashboard-default', '/signin', '/signin?from=%2Fdata'])('%s needs no remembering', (address) => {
  expect(returnAddress(address)).toBeUndefined();
});

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil',
  'javascript:alert(1)',
  'data',
  '',
  5,
  null,
])('%s leads nowhere', (address) => {
  expect(returnAddress(address)).toBeUndefined();
});

it('keeps of a search what the sign-in page knows', () => {
  expect(signInSearch({ from: '/data', ended: true, other: 1 })).toEqual({ from: '/data', ended: true });
  expect(signInSearch({ from: '//x', ended: 'yes' })).toEqual({});
});

import { expect, it } from 'vitest';
import { returnAddress, signInSearch } from './returnAddress';

it.each(['/message', '/inform?id=5', '/data#a', '/a/b?x=//y', '/dashboard-default?device=WS-1'])(
  '%s is an address to come back to',
  (address) => {
    expect(returnAddress(address)).toBe(address);
  },
);

it.each(['/', '/dashboard-default', '/signin', '/signin?from=%2Fdata'])('%s is not remembered', (address) => {
  expect(returnAddress(address)).toBeUndefined();
});

/** Addresses that lead to another site, or may do so for a reader that parses them differently. */
const hostile = [
  'https://evil.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  'data',
  '',
  ' /data',
  '\t/data',
  // Two slashes, in every form that browsers accept.
  '//evil.example',
  '///evil.example',
  '//',
  '//evil.example/..',
  '/\\evil.example',
  '\\\\evil',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n//evil.example',
  '\t//evil.example',
  '/\t\\evil.example',
  '/\u0000/evil.example',
  '/data\u0000',
  '/da\nta',
  '/data\u0085',
  '/data\u2028',
  '/\u2029/evil.example',
  // Two slashes once "." and ".." are resolved.
  '/.//evil.example',
  '/./\\evil.example',
  '/././/evil.example',
  '/..//evil.example',
  '/data/..//evil.example',
  '/data/../..//evil.example',
  '/data/..\\/evil.example',
  '/%2e//evil.example',
  '/%2E%2E//evil.example',
  '/data/%2e%2e//evil.example',
  '/.\t//evil.example',
  // Two slashes after one decoding or several.
  '/%2fevil.example',
  '/%2F/evil.example',
  '/%2F%2Fevil.example',
  '/%252fevil.example',
  '/%25252Fevil.example',
  '/.%2f/evil.example',
  '/%5cevil.example',
  '/%5C%5Cevil.example',
  '/%255cevil.example',
  '/data%5c..%5c%5cevil.example',
  '/%09/evil.example',
  '/%0d%0aLocation:%20https://evil.example',
  '/%00/evil.example',
  '/%2500',
  '/%25252525252fevil.example',
  '/%zz',
  '/%',
  '/%c0%af/evil.example',
  // Hosts.
  '/@evil.example/..//x',
  '//here.invalid/data',
  '/%2Fhere.invalid/data',
  '//here.invalid:81/data',
  '//user@here.invalid/data',
  'http://here.invalid/data',
];

it.each(hostile.map((address) => [JSON.stringify(address), address]))('%s is refused', (_, address) => {
  expect(returnAddress(address)).toBeUndefined();
  expect(signInSearch({ from: address })).toEqual({});
});

it.each([5, null, undefined, {}, ['/data']])('%s is not an address', (address) => {
  expect(returnAddress(address)).toBeUndefined();
});

it.each([
  ['/data?x=//evil.example', '/data?x=//evil.example'],
  ['/data#//evil.example', '/data#//evil.example'],
  ['/data?device=%2F%2FWS-1%5C', '/data?device=%2F%2FWS-1%5C'],
  ['/data?x=100%', '/data?x=100%'],
  ['/./data', '/data'],
  ['/inform/../data?id=1', '/data?id=1'],
  ['/a//b', '/a//b'],
  ['/a%20b', '/a%20b'],
  ['/a%2Fb', '/a%2Fb'],
  ['/%2e%2fevil.example', '/%2e%2fevil.example'],
  ['/@evil.example', '/@evil.example'],
  ['/https://evil.example', '/https://evil.example'],
])('%s stays on this site', (address, path) => {
  expect(returnAddress(address)).toBe(path);
});

it('keeps only the search parameters that the sign-in page knows', () => {
  expect(signInSearch({ from: '/data', ended: true, other: 1 })).toEqual({ from: '/data', ended: true });
  expect(signInSearch({ from: '//x', ended: 'yes' })).toEqual({});
});

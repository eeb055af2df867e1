import { expect, it } from 'vitest';
import { encryptPoint } from './encryptPoint';

// Created with crypto-js 4.2.0, which the protocol's clients use: AES.encrypt(Utf8.parse(text),
// Utf8.parse(key), { mode: ECB, padding: Pkcs7 }).
it.each([
  ['XwKsGlMcdPMEhR1B', '{"x":124,"y":5}', 'DIqVH1yqT9UFYc8KTK+ZiQ=='],
  ['XwKsGlMcdPMEhR1B', '{"x":124.93,"y":5}', 'llJNsp3BN6AKS0n4NpfqK7R+bWLhkoNHetrLSvQPj1A='],
  ['0123456789abcdef', '', 'N3Ii4GGpJMWRzZwn6hY+1A=='],
  ['0123456789abcdef', 'sixteen letters!', 'KjZvj+wX6VKjjp27GOi2CDdyIuBhqSTFkc2cJ+oWPtQ='],
  [
    'aB3$dE6&gH9*jK2(',
    '71dd26999e314f9abb0c635336976635---{"x":88.5,"y":5}',
    '53jOUygccGK2SIwOIYAnhXv+oI+mHujyqckdromatdvuIrWR5FRcdpKdlRZimdw+FD6iH/gn2wKYx6R0gZNUrA==',
  ],
  ['XwKsGlMcdPMEhR1B', 'Ağaç 果树 сад', 'PnMiL6pe3TR2FPb7w9IwIMMXQ6xl+NS+MOHtZvBZX2Y='],
])('encrypts with %s the text %s as every client does', (key, text, sealed) => {
  expect(encryptPoint(text, key)).toBe(sealed);
});

it('returns the text itself if the server sent no key', () => {
  expect(encryptPoint('{"x":1,"y":5}', '')).toBe('{"x":1,"y":5}');
});

it('rejects a key of another length', () => {
  expect(() => encryptPoint('x', 'short')).toThrow();
});

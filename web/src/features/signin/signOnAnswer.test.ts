import { describe, expect, it } from 'vitest';
import { readAnswer } from './signOnAnswer';

describe('what follows the # of the sign-in page', () => {
  it.each([
    ['#ticket=abc', { ticket: 'abc' }],
    ['ticket=abc&return=%2Fdata%3Fx%3D1', { ticket: 'abc', back: '/data?x=1' }],
    ['oidc=norole', { failure: 'norole' }],
    ['oidc=something-new', { failure: 'failed' }],
    ['oidc=', { failure: 'failed' }],
    ['', null],
    ['ticket=', null],
    ['section', null],
  ])('%s', (hash, answer) => {
    expect(readAnswer(hash)).toEqual(answer);
  });
});

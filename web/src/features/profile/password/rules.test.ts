import { expect, it } from 'vitest';
import { checkPassword } from './rules';

it.each([
  ['valid values', { code: '1', password: '123456', again: '123456' }, {}],
  ['no code', { code: ' ', password: '123456', again: '123456' }, { code: 'phone.codeRequired' }],
  [
    'nothing',
    { code: '', password: '', again: '' },
    { code: 'phone.codeRequired', password: 'password.required', again: 'password.required' },
  ],
  ['five characters', { code: '1', password: '12345', again: '12345' }, { password: 'password.min' }],
  ['six blanks', { code: '1', password: '      ', again: '      ' }, {}],
  [
    'three characters of two units each',
    { code: '1', password: '🌱🌱🌱', again: '🌱🌱🌱' },
    { password: 'password.min' },
  ],
  ['six Chinese characters', { code: '1', password: '春眠不觉晓啊', again: '春眠不觉晓啊' }, {}],
  ['no confirmation', { code: '1', password: '123456', again: '' }, { again: 'password.different' }],
  ['another', { code: '1', password: '123456', again: '1234567' }, { again: 'password.different' }],
  ['another case', { code: '1', password: 'abcdef', again: 'Abcdef' }, { again: 'password.different' }],
])('%s', (_, form, errors) => {
  expect(checkPassword(form, 6)).toEqual(errors);
});

it.each([
  [6, '12345', { password: 'password.min' }],
  [6, '123456', {}],
  [12, '12345678901', { password: 'password.minOf' }],
  [12, '123456789012', {}],
  [12, '🌱'.repeat(12), {}],
])('with a minimum of %i characters, %s', (minimum, password, errors) => {
  expect(checkPassword({ code: '1', password, again: password }, minimum)).toEqual(errors);
});

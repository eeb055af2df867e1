import { expect, it } from 'vitest';
import { checkPhone } from './rules';

it.each([
  ['+905551112233', '123456', {}],
  ['+90 555 111 22 33', '123456', {}],
  ['13800138000', '123456', {}],
  ['', '', { mobile: 'phone.required', code: 'phone.codeRequired' }],
  ['  ', ' ', { mobile: 'phone.required', code: 'phone.codeRequired' }],
  ['05551112233', '1', { mobile: 'phone.format' }],
  ['+1', '1', { mobile: 'phone.format' }],
  ['abc', '1', { mobile: 'phone.format' }],
  ['1234567890123456', '1', { mobile: 'phone.format' }],
])('number %s with code %s', (mobile, code, errors) => {
  expect(checkPhone({ mobile, code })).toEqual(errors);
});

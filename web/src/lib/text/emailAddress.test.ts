import { expect, it } from 'vitest';
import { isEmail } from './emailAddress';

it.each([
  ['a@b.co', true],
  ['first.last+tag@sub.domain.example', true],
  ['иван@хозяйство.рф', true],
  ['a@b', false],
  ['a@b.', false],
  ['a@.co', false],
  ['a@b..co', false],
  ['@b.co', false],
  ['a b@c.de', false],
  ['a@b@c.de', false],
  ['<a@b.co>', false],
  ['a@b.co,c@d.ef', false],
])('accepts %s as an e-mail address: %s', (text, is) => {
  expect(isEmail(text)).toBe(is);
});

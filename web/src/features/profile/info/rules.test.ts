import { describe, expect, it } from 'vitest';
import { checkInfo, type Info, isEmail } from './rules';

const right: Info = { nickname: 'Elif', email: 'elif@valley.example', mobile: '+905321144107' };

describe('essential information', () => {
  it.each<[string, Partial<Info>, object]>([
    ['all there', {}, {}],
    ['no nickname', { nickname: '' }, { nickname: 'profile.nicknameRequired' }],
    ['a nickname of blanks', { nickname: '  ' }, { nickname: 'profile.nicknameRequired' }],
    ['no e-mail', { email: ' ' }, { email: 'profile.emailRequired' }],
    ['no real e-mail', { email: 'elif@valley' }, { email: 'profile.emailFormat' }],
    ['blanks around an e-mail', { email: ' elif@valley.example ' }, {}],
    ['no mobile', { mobile: '' }, { mobile: 'phone.required' }],
    ['a bare Chinese mobile', { mobile: '13800138000' }, {}],
    ['a bare mobile of elsewhere', { mobile: '05321144107' }, { mobile: 'profile.mobileFormat' }],
  ])('%s', (_, change, errors) => {
    expect(checkInfo({ ...right, ...change }, true)).toEqual(errors);
  });

  it('does not ask for a mobile where none can be bound', () => {
    expect(checkInfo({ ...right, mobile: '' }, false)).toEqual({});
  });

  it('names what is wrong in the order of the fields', () => {
    const errors = checkInfo({ nickname: '', email: '', mobile: '' }, true);
    expect(Object.keys(errors)).toEqual(['nickname', 'mobile', 'email']);
  });
});

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
])('takes %s for an e-mail address: %s', (text, is) => {
  expect(isEmail(text)).toBe(is);
});

import { describe, expect, it } from 'vitest';
import { checkInfo, type Info } from './rules';

const validInfo: Info = { nickname: 'Elif', email: 'elif@valley.example', mobile: '+905321144107' };

describe('essential information', () => {
  it.each<[string, Partial<Info>, object]>([
    ['complete data', {}, {}],
    ['no nickname', { nickname: '' }, { nickname: 'profile.nicknameRequired' }],
    ['a nickname of blanks', { nickname: '  ' }, { nickname: 'profile.nicknameRequired' }],
    ['no e-mail', { email: ' ' }, { email: 'profile.emailRequired' }],
    ['an invalid e-mail', { email: 'elif@valley' }, { email: 'profile.emailFormat' }],
    ['blanks around an e-mail', { email: ' elif@valley.example ' }, {}],
    ['no mobile', { mobile: '' }, { mobile: 'phone.required' }],
    ['a Chinese mobile without its country code', { mobile: '13800138000' }, {}],
    [
      'another country’s mobile without its country code',
      { mobile: '05321144107' },
      { mobile: 'profile.mobileFormat' },
    ],
  ])('%s', (_, change, errors) => {
    expect(checkInfo({ ...validInfo, ...change }, true)).toEqual(errors);
  });

  it('does not require a mobile number if none can be bound', () => {
    expect(checkInfo({ ...validInfo, mobile: '' }, false)).toEqual({});
  });

  it('lists the problems in the order of the fields', () => {
    const errors = checkInfo({ nickname: '', email: '', mobile: '' }, true);
    expect(Object.keys(errors)).toEqual(['nickname', 'mobile', 'email']);
  });
});

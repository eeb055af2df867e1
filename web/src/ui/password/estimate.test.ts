import { Options } from '@zxcvbn-ts/core';
import { describe, expect, it } from 'vitest';
import texts from '@/locales/en-us.json';
import { commonPasswords } from './commonPasswords';
import { estimate } from './estimate';
import { personalWords } from './personalWords';

const known = personalWords({
  userName: 'elif.kaya',
  nickname: 'Elif Kaya',
  email: 'elif@valley.example',
  mobile: '+905321144107',
  tenantName: 'Aydın Valley Growers',
});

describe('a password', () => {
  it.each([
    ['the most common password', '123456', 'weak', 'topTen', 'anotherWord'],
    ['a common one', 'sunshine', 'weak', 'topHundred', 'anotherWord'],
    ['a common one with a capital', 'Password1', 'weak', 'common', 'capitalization'],
    ['a common one with signs', 'P@ssw0rd', 'weak', 'similarToCommon', 'capitalization'],
    ['a common one backwards', 'drowssap', 'weak', 'similarToCommon', 'reverseWords'],
    ['a common one in Russian', 'пароль', 'weak', 'topTen', 'anotherWord'],
    ['a row of Russian keys, in capitals', 'ЙЦУКЕН', 'weak', 'topTen', 'allUppercase'],
    ['a common one in Chinese', '密码', 'weak', 'topTen', 'anotherWord'],
    ['a common one in Turkish', 'şifre', 'weak', 'topTen', 'anotherWord'],
    ['the same without marks', 'sifre', 'weak', 'topTen', 'anotherWord'],
    ['the same in capitals', 'ŞİFRE', 'weak', 'topTen', 'allUppercase'],
    ['one character', 'aaaaaa', 'weak', 'simpleRepeat', 'repeated'],
    ['repeated characters', 'abcabcabc', 'weak', 'extendedRepeat', 'repeated'],
    ['a sequence', 'bcdefgh', 'weak', 'sequences', 'sequences'],
    ['a date', '12.05.1987', 'weak', 'dates', 'dates'],
    ['a row of keys', 'sdfghj', 'weak', 'straightRow', 'longerKeyboardPattern'],
    ['the user name', 'elif.kaya', 'weak', 'userInputs', 'anotherWord'],
    ['the name', 'ElifKaya1', 'weak', 'userInputs', 'anotherWord'],
    ['the mail address', 'elif@valley.example', 'weak', 'userInputs', 'anotherWord'],
    ['the number without its country code', '05321144107', 'weak', 'userInputs', 'anotherWord'],
    ['the tenant', 'aydın valley growers', 'weak', 'userInputs', 'anotherWord'],
    ['names in another order', 'Kaya.Elif1', 'weak', 'userInputs', 'anotherWord'],
    ['a name and a year', 'Elif Kaya 2026', 'weak', 'userInputs', 'anotherWord'],
    ['the tenant’s words with a short suffix', 'growers-valley7!', 'weak', 'userInputs', 'anotherWord'],
    ['a name beside words', 'Elif pump lantern violet', 'strong', undefined, undefined],
    ['a name before ten characters without a pattern', 'elifxk4Tq9Zp2v', 'good', undefined, undefined],
    ['six characters without a pattern', 'xk4Tq9', 'weak', undefined, 'anotherWord'],
    ['eight of them', 'xk4Tq9Zp', 'fair', undefined, 'anotherWord'],
    ['ten of them', 'xk4Tq9Zp2v', 'good', undefined, undefined],
    ['some words', 'pump lantern violet river', 'strong', undefined, undefined],
    ['a Russian sentence', 'ёж ел сливы под дождём', 'strong', undefined, undefined],
  ])('%s', (_, password, level, warning, advice) => {
    expect(estimate(password, known)).toEqual({ level, warning, advice });
  });

  it('is not weakened by another user’s data', () => {
    expect(estimate('elif.kaya', []).warning).toBeUndefined();
  });

  it('is estimated by its first characters, however long it is', () => {
    expect(estimate('ab'.repeat(50_000), known)).toMatchObject({ level: 'weak', warning: 'extendedRepeat' });
  });
});

it('recognizes the common passwords in the console’s languages', () => {
  const unknown = commonPasswords.filter((password) => estimate(password, []).warning === undefined);
  expect(unknown).toEqual([]);
  expect(new Set(commonPasswords).size).toBe(commonPasswords.length);
});

it('has a text for everything that the library may say', () => {
  const { warnings, suggestions } = new Options().translations;
  expect(Object.keys(texts.password.strength.warning).sort()).toEqual(Object.keys(warnings).sort());
  expect(Object.keys(texts.password.strength.advice).sort()).toEqual(Object.keys(suggestions).sort());
});

import { describe, expect, it } from 'vitest';
import { normalizeText, personalWords } from './personalWords';

const emptyPerson = { userName: '', nickname: '', email: '', mobile: '', tenantName: '' };

describe('what others know about a user', () => {
  it.each([
    ['a user name, with its parts', { userName: 'elif.kaya' }, ['elif.kaya', 'elifkaya', 'elif', 'kaya']],
    ['a name of two words', { nickname: 'Elif Kaya' }, ['elif kaya', 'elifkaya', 'elif', 'kaya']],
    ['letters with marks', { nickname: 'Işıl Öztürk' }, ['isil ozturk', 'isilozturk', 'isil', 'ozturk']],
    ['Cyrillic letters', { nickname: 'Алёна' }, ['алена']],
    ['Chinese names, which are short', { nickname: '王芳' }, ['王芳']],
    ['no parts that many words contain', { tenantName: 'Al of Bo' }, ['al of bo', 'alofbo']],
    ['a mail address, its box and its host', { email: 'e.k@valley.example' }, ['e.k@valley.example', 'e.k', 'valley']],
    ['no mail address', { email: 'e' }, []],
    [
      'a number, with and without its country code',
      { mobile: '+90532114410' },
      ['90532114410', '0532114410', '532114410', '32114410', '2114410'],
    ],
    ['nothing', {}, []],
    ['duplicates once', { userName: 'elif', nickname: 'Elif', tenantName: 'ELİF' }, ['elif']],
  ])('%s', (_, known, words) => {
    expect(personalWords({ ...emptyPerson, ...known })).toEqual(words);
  });
});

it('normalizes marks and forms of letters', () => {
  expect(['Şİfre', 'ｐａｓｓ', 'йцукен'].map(normalizeText)).toEqual(['SIfre', 'pass', 'ицукен']);
});

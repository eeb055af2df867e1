import type { components } from '@/api/schema.gen';

export type Person = Pick<components['schemas']['User'], 'userName' | 'nickname' | 'email' | 'mobile' | 'tenantName'>;

/**
 * A text without the marks on its letters, İ and ı as i: who guesses şifre guesses sifre too. What is looked for and what it is
 * looked for in are both written so.
 */
export function normalizeText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/ı/g, 'i');
}

/** One of these alone is not worth looking for: it is part of many words. Chinese names are shorter. */
const minLetters = 3;
const minCjkCharacters = 2;
const minDigits = 7;

/** What others know of a person, in the forms in which it gets into passwords; plain and in small letters, each once. */
export function personalWords({ userName, nickname, email, mobile, tenantName }: Person): string[] {
  const [box = '', host = ''] = email.split('@');
  const names = [userName, nickname, tenantName, box, host.replace(/\.[^.]*$/, '')];
  const found = names.flatMap((name) => {
    const words = name.split(/[^\p{L}\p{N}]+/u);
    return [name, words.join(''), ...words];
  });
  const digits = mobile.replace(/\D/g, '');
  // How many of them are the country's differs: each end of the number may be how people write it.
  for (let from = 0; digits.length - from >= minDigits; from += 1) found.push(digits.slice(from));
  return [...new Set([email, ...found].map((text) => normalizeText(text).toLowerCase()).filter(isDistinctive))];
}

function isDistinctive(word: string): boolean {
  const length = [...word].length;
  return length >= (/\p{Script=Han}/u.test(word) ? minCjkCharacters : minLetters);
}

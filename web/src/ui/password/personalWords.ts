import type { components } from '@/api/schema.gen';

export type Person = Pick<components['schemas']['User'], 'userName' | 'nickname' | 'email' | 'mobile' | 'tenantName'>;

/**
 * Removes the marks of letters and maps İ and ı to i: an attacker who guesses şifre also guesses
 * sifre. Both the password and the words to find in it are normalized.
 */
export function normalizeText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/ı/g, 'i');
}

/** Shorter words are not searched for, since many words contain them. Chinese names are shorter. */
const minLetters = 3;
const minCjkCharacters = 2;
const minDigits = 7;

/**
 * What others know about a user, in the forms that appear in passwords: normalized, in lower case,
 * without duplicates.
 */
export function personalWords({ userName, nickname, email, mobile, tenantName }: Person): string[] {
  const [box = '', host = ''] = email.split('@');
  const names = [userName, nickname, tenantName, box, host.replace(/\.[^.]*$/, '')];
  const found = names.flatMap((name) => {
    const words = name.split(/[^\p{L}\p{N}]+/u);
    return [name, words.join(''), ...words];
  });
  const digits = mobile.replace(/\D/g, '');
  // The length of country codes varies, so every tail of the number may be how people write it.
  for (let from = 0; digits.length - from >= minDigits; from += 1) found.push(digits.slice(from));
  return [...new Set([email, ...found].map((text) => normalizeText(text).toLowerCase()).filter(isDistinctive))];
}

function isDistinctive(word: string): boolean {
  const length = [...word].length;
  return length >= (/\p{Script=Han}/u.test(word) ? minCjkCharacters : minLetters);
}

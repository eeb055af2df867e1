import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { commonPasswords } from './commonPasswords';
import { normalizeText } from './personalWords';
import type { Advice, Strength, Warning } from './strength';

/** Characters that are looked at. More make it no weaker, and a text without end would keep the page busy. */
const maxCharacters = 128;

/** By the library's scores, 0 to 4. It says nothing against a password from this one on. */
const levelOf = ['weak', 'weak', 'fair', 'good', 'strong'] as const;
const goodScore = 3;

const library = new ZxcvbnFactory({
  // That the name begins with "passwords" tells the library what kind of words they are.
  dictionary: { ...dictionary, 'passwords-local': commonPasswords.map(normalizeText) },
  graphs: adjacencyGraphs,
  maxLength: maxCharacters,
});

/** How many guesses a password withstands, of somebody who knows what many people take and `known` (as `personal` writes it). */
export function estimate(password: string, known: readonly string[]): Strength {
  const written = normalizeText(password).slice(0, maxCharacters);
  const { score, feedback } = library.check(written, [...known]);
  // What is known adds nothing, in whatever order it comes: the library takes each order for one of very many.
  const small = written.toLowerCase();
  const unknown = [...known]
    .sort((a, b) => b.length - a.length)
    .reduce((left, word) => left.replaceAll(word, ''), small);
  const rest = unknown === small ? score : library.check(unknown).score;
  if (rest < score) {
    return rest < goodScore
      ? { level: levelOf[rest], warning: 'userInputs', advice: 'anotherWord' }
      : { level: levelOf[rest] };
  }
  // Not translated, so they are the library's own names.
  const [any, ...particular] = feedback.suggestions as Advice[];
  return {
    level: levelOf[score],
    warning: (feedback.warning as Warning | null) ?? undefined,
    advice: particular[0] ?? any,
  };
}

import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { commonPasswords } from './commonPasswords';
import { normalizeText } from './personalWords';
import type { Advice, Strength, Warning } from './strength';

/**
 * The number of characters that are estimated. More characters never make a password weaker, and a
 * very long text would block the page.
 */
const maxCharacters = 128;

/** Levels by the library's scores, 0 to 4. From `goodScore` on the library has no objections. */
const levelOf = ['weak', 'weak', 'fair', 'good', 'strong'] as const;
const goodScore = 3;

const library = new ZxcvbnFactory({
  // The prefix "passwords" of the name tells the library what kind of words these are.
  dictionary: { ...dictionary, 'passwords-local': commonPasswords.map(normalizeText) },
  graphs: adjacencyGraphs,
  maxLength: maxCharacters,
});

/**
 * Estimates how many guesses a password withstands if the attacker knows common passwords and the
 * words in `known` (as `personalWords` returns them).
 */
export function estimate(password: string, known: readonly string[]): Strength {
  const written = normalizeText(password).slice(0, maxCharacters);
  const { score, feedback } = library.check(written, [...known]);
  // Known words must add no strength in any order: the library counts their order as one of very
  // many.
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
  // Without translations, the library returns its own keys.
  const [any, ...particular] = feedback.suggestions as Advice[];
  return {
    level: levelOf[score],
    warning: (feedback.warning as Warning | null) ?? undefined,
    advice: particular[0] ?? any,
  };
}

import type { TranslationKeys } from '@zxcvbn-ts/core';

/** What is wrong with a password, and what would make it better: names of sentences, as the library calls them. */
export type Warning = keyof TranslationKeys['warnings'];
export type Advice = keyof TranslationKeys['suggestions'];

/** Found within a million guesses, 100 million, ten thousand million, or not within these. */
export const levels = ['weak', 'fair', 'good', 'strong'] as const;
type Level = (typeof levels)[number];

export interface Strength {
  level: Level;
  warning?: Warning;
  /** None where the password is good. */
  advice?: Advice;
}

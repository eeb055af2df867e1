import type { TranslationKeys } from '@zxcvbn-ts/core';

/** A password's problem, and advice to improve it, as keys of the library's sentences. */
export type Warning = keyof TranslationKeys['warnings'];
export type Advice = keyof TranslationKeys['suggestions'];

/**
 * The library's thresholds: found within a million guesses, 100 million, ten thousand million, or
 * not within these.
 */
export const levels = ['weak', 'fair', 'good', 'strong'] as const;
type Level = (typeof levels)[number];

export interface Strength {
  level: Level;
  warning?: Warning;
  /** Absent for a good password. */
  advice?: Advice;
}

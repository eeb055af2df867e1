import i18next, { type TFunction } from 'i18next';
import { type Format, formatFor } from '@/lib/format/format';
import { nbsp } from '@/lib/format/number';
import { descriptors, type Language } from '@/lib/i18n/languages';
import { comparators, type Operator } from './comparator';
import type { Trigger } from './types';

/**
 * Writes a rule as a sentence in the user's language. Each language has its own word order, so the
 * locale files hold whole phrases (`rule.term`, `rule.both`, `rule.sentence`), which are nested
 * from the inside out. Two marks enclose each bold part on the way; the last step cuts the text at
 * them.
 */

/** One comparison. A field that is not filled in yet shows as an ellipsis. */
export interface SentenceCondition {
  /** How it joins the conditions before it, from left to right; ignored for the first one. */
  andor: 'and' | 'or';
  /** The attribute's display name. */
  name: string;
  unit: string;
  subconditions: Operator;
  value: number | boolean | string | undefined;
  /** Replaces the value while the alarm is open. */
  recovery?: number | null;
}

export interface SentenceRule {
  triggerType: Trigger;
  conditions: readonly SentenceCondition[];
  hitCounts: number;
  /** The window, in milliseconds. */
  durations: number;
}

/**
 * `full`: a sentence of its own with every pair in brackets, for the form. `brief`: for a card,
 * with brackets only where the order would otherwise be unclear.
 */
export type SentenceForm = 'full' | 'brief';

/** A part of the sentence; names, values and counts are strong. */
export interface SentencePart {
  text: string;
  strong: boolean;
}

const missingText = '…';
const [strongStart, strongEnd] = ['\u0002', '\u0003'];

/** Keeps a count and its noun on one line. */
const nonBreaking = (text: string) => text.replaceAll(' ', nbsp);
const strong = (text: string) => strongStart + text.replaceAll(strongStart, '').replaceAll(strongEnd, '') + strongEnd;

function partsOf(text: string): SentencePart[] {
  const parts: SentencePart[] = [];
  text.split(strongStart).forEach((piece, i) => {
    const end = i === 0 ? 0 : piece.indexOf(strongEnd);
    if (i > 0) parts.push({ text: piece.slice(0, end), strong: true });
    const rest = i === 0 ? piece : piece.slice(end + 1);
    if (rest !== '') parts.push({ text: rest, strong: false });
  });
  return parts;
}

interface SentenceContext {
  t: TFunction;
  format: Format;
}

function contextFor(language: Language): SentenceContext {
  return { t: i18next.getFixedT(language), format: formatFor(language) };
}

function valueText(
  { name, value, unit }: Pick<SentenceCondition, 'name' | 'value' | 'unit'>,
  { format }: SentenceContext,
): string {
  return value === undefined || value === '' ? missingText : format.reading({ value, unit }, name);
}

function comparisonText(condition: SentenceCondition, form: SentenceForm, words: SentenceContext): string {
  const { words: key, symbol } = comparators[condition.subconditions];
  return words.t(`rule.term.${form}.${key}`, {
    attribute: strong(condition.name || missingText),
    symbol,
    value: strong(valueText(condition, words)),
  });
}

function conditionsText(conditions: readonly SentenceCondition[], form: SentenceForm, words: SentenceContext): string {
  const { t } = words;
  const bracket = (text: string) => t('rule.bracket', { text });
  const [first, ...rest] = conditions;
  if (!first) return strong(missingText);
  return rest.reduce(
    (left, condition, i) => {
      const operatorChanges = i > 0 && condition.andor !== rest[i - 1]?.andor;
      const both = t(`rule.both.${condition.andor}`, {
        left: form === 'brief' && operatorChanges ? bracket(left) : left,
        right: comparisonText(condition, form, words),
      });
      return form === 'full' ? bracket(both) : both;
    },
    comparisonText(first, form, words),
  );
}

/** The conditions alone, folded from left to right. */
export function conditionParts(
  conditions: readonly SentenceCondition[],
  form: SentenceForm,
  language: Language,
): SentencePart[] {
  return partsOf(conditionsText(conditions, form, contextFor(language)));
}

/** A length of time as the sentences write it: 10 minutes, or 10 min in the brief form. */
export function windowText(durations: number, form: SentenceForm, language: Language): string {
  const { t, format } = contextFor(language);
  return form === 'full' ? t('rule.minutes', { count: durations / 60_000 }) : format.duration(durations);
}

/** A number of minutes in the unit that suits it: 30 min, 2 h. */
export function spanText(minutes: number, language: Language): string {
  const { t } = contextFor(language);
  // Every 24 h, not every 1 d.
  return minutes % 60 === 0
    ? t('format.age.hours', { value: minutes / 60 })
    : t('format.age.minutes', { value: minutes });
}

/**
 * A number of readings as the sentences write it. In Russian the noun's case depends on the
 * preceding words.
 */
export function readingsText(hitCounts: number, form: SentenceForm, language: Language): string {
  const { t, format } = contextFor(language);
  return t(`rule.readings.${form}`, { count: hitCounts, n: format.number(hitCounts) });
}

/** The whole rule: the conditions under which it raises an alarm. */
export function ruleParts(rule: SentenceRule, form: SentenceForm, language: Language): SentencePart[] {
  const words = contextFor(language);
  const { t } = words;
  const window = windowText(rule.durations, form, language);
  if (rule.triggerType === 1)
    return partsOf(t(`rule.sentence.offline.${form}`, { window: strong(nonBreaking(window)) }));
  const readings = readingsText(rule.hitCounts, form, language);
  const condition = conditionsText(rule.conditions, form, words);
  const mark = form === 'full' ? strong : nonBreaking;
  return partsOf(
    t(`rule.sentence.${form}`, { condition, readings: mark(nonBreaking(readings)), window: mark(nonBreaking(window)) }),
  );
}

/** How the alarm ends by itself. */
export function clearingParts(rule: SentenceRule, language: Language): SentencePart[] {
  const words = contextFor(language);
  const { t } = words;
  if (rule.triggerType === 1) return partsOf(t('rule.clears.offline'));
  const tag = descriptors[language].intl;
  const limits = rule.conditions.flatMap((condition) =>
    typeof condition.recovery === 'number'
      ? [
          t('rule.clears.limit', {
            attribute: strong(condition.name || missingText),
            value: strong(valueText({ ...condition, value: condition.recovery }, words)),
          }),
        ]
      : [],
  );
  if (limits.length === 0) return partsOf(t('rule.clears.first'));
  const list = new Intl.ListFormat(tag, { type: 'conjunction' }).format(limits);
  return partsOf(t('rule.clears.recovery', { limits: list }));
}

/** The text alone, for a screen reader, a title or a test. */
export function plainText(parts: readonly SentencePart[]): string {
  return parts.map(({ text }) => text).join('');
}

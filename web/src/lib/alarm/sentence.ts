import i18next, { type TFunction } from 'i18next';
import { type Format, formatFor } from '@/lib/format/format';
import { nbsp } from '@/lib/format/number';
import { type Language, languages } from '@/lib/i18n/i18n';
import type { Operator, Trigger } from './types';

/**
 * A rule as a sentence in the person's language. Each language orders its words by itself: the locale files hold whole phrases
 * (`rule.term`, `rule.both`, `rule.sentence`), which are put into each other from the inside out. What is to stand in bold is
 * wrapped in two marks on the way, and cut apart at the end.
 */

/** One comparison. What is not filled in yet stands as an ellipsis. */
export interface SentenceCondition {
  /** How it joins what stands before it, from left to right; of the first one it says nothing. */
  andor: 'and' | 'or';
  /** The attribute's name for people. */
  name: string;
  unit: string;
  subconditions: Operator;
  value: number | boolean | string | undefined;
  /** While the alarm is open this counts in place of the value. */
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
 * `full`: a sentence of its own, every pair in brackets, as the form says it. `brief`: as a card says it, brackets only where the
 * order would else be unclear.
 */
export type SentenceForm = 'full' | 'brief';

/** A run of the sentence; names, values and counts are strong. */
export interface SentencePart {
  text: string;
  strong: boolean;
}

/** The names of the operators in the locale files: `rule.operator`, `rule.term`. */
export const operatorNames = {
  '>': 'above',
  '>=': 'atLeast',
  '<': 'below',
  '<=': 'atMost',
  '=': 'equal',
  '!=': 'notEqual',
} as const satisfies Record<Operator, string>;

/** How the operators are written beside their words, where one is chosen. */
export const operatorSigns = {
  '>': '>',
  '>=': '≥',
  '<': '<',
  '<=': '≤',
  '=': '=',
  '!=': '≠',
} as const satisfies Record<Operator, string>;

const missingText = '…';
const [strongStart, strongEnd] = ['\u0002', '\u0003'];

/** A count and what it counts stay on one line. */
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
  return words.t(`rule.term.${form}.${operatorNames[condition.subconditions]}`, {
    attribute: strong(condition.name || missingText),
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

/** A length of time as the sentences say it: 10 minutes, or briefly 10 min. */
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

/** A number of readings as the sentences say it, which in Russian bends by what stands before it. */
export function readingsText(hitCounts: number, form: SentenceForm, language: Language): string {
  const { t, format } = contextFor(language);
  return t(`rule.readings.${form}`, { count: hitCounts, n: format.number(hitCounts) });
}

/** The whole rule: when it raises an alarm. */
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
  const tag = languages.find(({ code }) => code === language)?.tag;
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
  const first = t('rule.clears.first');
  if (limits.length === 0) return partsOf(first);
  const list = new Intl.ListFormat(tag, { type: 'conjunction' }).format(limits);
  return partsOf(t('rule.clears.recovery', { first, limits: list }));
}

/** For a screen reader, a title, a test. */
export function plainText(parts: readonly SentencePart[]): string {
  return parts.map(({ text }) => text).join('');
}

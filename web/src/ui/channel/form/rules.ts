import { byKind, type ChannelKind, channelKinds, type KindSentences, kindSpecs } from '@/lib/channel/kinds';
import { isVisibleName } from '@/lib/text/visibleName';
import { type ChannelValues, nameLimit } from './values';

/** A problem, by its text key, so that the text follows the language. */
export interface FieldProblem {
  key: 'common.nameRequired' | 'device.form.tooLong' | 'channel.modeRequired' | KindSentences[keyof KindSentences];
  most?: number;
  value?: string;
}

export interface Findings {
  name?: FieldProblem;
  modes?: FieldProblem;
  /** By the key of the row. */
  entries: Record<ChannelKind, ReadonlyMap<number, FieldProblem>>;
}

function checkEntries({ on, entries }: ChannelValues, mode: ChannelKind): ReadonlyMap<number, FieldProblem> {
  const wrong = new Map<number, FieldProblem>();
  if (!on[mode]) return wrong;
  const { normalize, isRecipient, same, sentences } = kindSpecs[mode];
  const filled = entries[mode].filter(({ text }) => text.trim() !== '');
  const [first] = entries[mode];
  if (filled.length === 0 && first) wrong.set(first.key, { key: sentences.empty });
  const seen = new Set<string>();
  for (const { key, text } of filled) {
    const plain = normalize(text);
    if (!isRecipient(plain)) wrong.set(key, { key: sentences.format, value: text.trim() });
    else if (seen.has(same(plain))) wrong.set(key, { key: sentences.twice, value: text.trim() });
    seen.add(same(plain));
  }
  return wrong;
}

/** Finds all problems. */
export function checkChannel(values: ChannelValues): Findings {
  const findings: Findings = { entries: byKind((mode) => checkEntries(values, mode)) };
  if (!isVisibleName(values.name)) findings.name = { key: 'common.nameRequired' };
  else if ([...values.name.trim()].length > nameLimit) findings.name = { key: 'device.form.tooLong', most: nameLimit };
  if (!channelKinds.some((mode) => values.on[mode])) findings.modes = { key: 'channel.modeRequired' };
  return findings;
}

export function isValid({ name, modes: ways, entries }: Findings): boolean {
  return !name && !ways && channelKinds.every((mode) => entries[mode].size === 0);
}

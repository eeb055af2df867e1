import { type ChannelKind, channelKinds } from '@/lib/channel/queries';
import { isEmail } from '@/lib/text/emailAddress';
import { isInternational } from '@/lib/text/phoneNumber';
import { isVisibleName } from '@/lib/text/visibleName';
import { type ChannelValues, nameLimit, normalizeRecipient } from './values';

/** A problem, by its text key, so that the text follows the language. */
export interface FieldProblem {
  key:
    | 'common.nameRequired'
    | 'device.form.tooLong'
    | 'channel.modeRequired'
    | 'channel.emailEmpty'
    | 'channel.emailFormat'
    | 'channel.phoneEmpty'
    | 'channel.phoneFormat'
    | 'channel.emailTwice'
    | 'channel.phoneTwice';
  most?: number;
  value?: string;
}

export interface Findings {
  name?: FieldProblem;
  modes?: FieldProblem;
  /** By the key of the row. */
  entries: Record<ChannelKind, ReadonlyMap<number, FieldProblem>>;
}

export const sentences = {
  email: { empty: 'channel.emailEmpty', format: 'channel.emailFormat', twice: 'channel.emailTwice' },
  phoneMessage: { empty: 'channel.phoneEmpty', format: 'channel.phoneFormat', twice: 'channel.phoneTwice' },
} as const;

/** The longest address that mail can carry, in characters. */
const maxAddressLength = 254;

function isRecipient(mode: ChannelKind, text: string): boolean {
  return mode === 'email' ? text.length <= maxAddressLength && isEmail(text) : isInternational(text);
}

function checkEntries({ on, entries }: ChannelValues, mode: ChannelKind): ReadonlyMap<number, FieldProblem> {
  const wrong = new Map<number, FieldProblem>();
  if (!on[mode]) return wrong;
  const filled = entries[mode].filter(({ text }) => text.trim() !== '');
  const [first] = entries[mode];
  if (filled.length === 0 && first) wrong.set(first.key, { key: sentences[mode].empty });
  const seen = new Set<string>();
  for (const { key, text } of filled) {
    const plain = normalizeRecipient(mode, text);
    const same = mode === 'email' ? plain.toLowerCase() : plain.replace(/^\+/, '');
    if (!isRecipient(mode, plain)) wrong.set(key, { key: sentences[mode].format, value: text.trim() });
    else if (seen.has(same)) wrong.set(key, { key: sentences[mode].twice, value: text.trim() });
    seen.add(same);
  }
  return wrong;
}

/** Finds all problems. */
export function checkChannel(values: ChannelValues): Findings {
  const findings: Findings = {
    entries: { email: checkEntries(values, 'email'), phoneMessage: checkEntries(values, 'phoneMessage') },
  };
  if (!isVisibleName(values.name)) findings.name = { key: 'common.nameRequired' };
  else if ([...values.name.trim()].length > nameLimit) findings.name = { key: 'device.form.tooLong', most: nameLimit };
  if (!channelKinds.some((mode) => values.on[mode])) findings.modes = { key: 'channel.modeRequired' };
  return findings;
}

export function isValid({ name, modes: ways, entries }: Findings): boolean {
  return !name && !ways && channelKinds.every((mode) => entries[mode].size === 0);
}

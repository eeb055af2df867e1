import { type Mode, modes } from '@/lib/channel/queries';
import { isEmail } from '@/lib/emailAddress';
import { isSeen } from '@/lib/name';
import { isInternational } from '@/lib/phoneNumber';
import { type ChannelValues, nameLimit, plainRecipient } from './values';

/** What is wrong, by the name of its sentence, so that it follows the language. */
export interface Wrong {
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
  name?: Wrong;
  modes?: Wrong;
  /** By the key of the row. */
  entries: Record<Mode, ReadonlyMap<number, Wrong>>;
}

export const sentences = {
  email: { empty: 'channel.emailEmpty', format: 'channel.emailFormat', twice: 'channel.emailTwice' },
  phoneMessage: { empty: 'channel.phoneEmpty', format: 'channel.phoneFormat', twice: 'channel.phoneTwice' },
} as const;

/** The longest address that mail can carry, in characters. */
const longestAddress = 254;

function isRecipient(mode: Mode, text: string): boolean {
  return mode === 'email' ? text.length <= longestAddress && isEmail(text) : isInternational(text);
}

function checkEntries({ on, entries }: ChannelValues, mode: Mode): ReadonlyMap<number, Wrong> {
  const wrong = new Map<number, Wrong>();
  if (!on[mode]) return wrong;
  const filled = entries[mode].filter(({ text }) => text.trim() !== '');
  const [first] = entries[mode];
  if (filled.length === 0 && first) wrong.set(first.key, { key: sentences[mode].empty });
  const seen = new Set<string>();
  for (const { key, text } of filled) {
    const plain = plainRecipient(mode, text);
    const same = mode === 'email' ? plain.toLowerCase() : plain.replace(/^\+/, '');
    if (!isRecipient(mode, plain)) wrong.set(key, { key: sentences[mode].format, value: text.trim() });
    else if (seen.has(same)) wrong.set(key, { key: sentences[mode].twice, value: text.trim() });
    seen.add(same);
  }
  return wrong;
}

/** Everything that is wrong. */
export function checkChannel(values: ChannelValues): Findings {
  const findings: Findings = {
    entries: { email: checkEntries(values, 'email'), phoneMessage: checkEntries(values, 'phoneMessage') },
  };
  if (!isSeen(values.name)) findings.name = { key: 'common.nameRequired' };
  else if ([...values.name.trim()].length > nameLimit) findings.name = { key: 'device.form.tooLong', most: nameLimit };
  if (!modes.some((mode) => values.on[mode])) findings.modes = { key: 'channel.modeRequired' };
  return findings;
}

export function isRight({ name, modes: ways, entries }: Findings): boolean {
  return !name && !ways && modes.every((mode) => entries[mode].size === 0);
}

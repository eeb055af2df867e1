import {
  byKind,
  type ChannelKind,
  channelKinds,
  kindNamed,
  kindSpecs,
  kindsOf,
  recipientsByKind,
  specifiedKinds,
} from '@/lib/channel/kinds';
import type { Channel, ChannelInput } from '@/lib/channel/queries';
import { isLanguage, type Language } from '@/lib/i18n/i18n';

/** A recipient as typed. */
export interface Entry {
  /** Identifies the row while others are added and removed. */
  key: number;
  text: string;
}

/** The form's values. */
export interface ChannelValues {
  name: string;
  /** The kinds in use. */
  on: Readonly<Record<ChannelKind, boolean>>;
  /** By kind; there is always at least one row. */
  entries: Readonly<Record<ChannelKind, readonly Entry[]>>;
  /** Recipients of kinds that this version does not know: saved as they came. */
  unknown: NonNullable<Channel['others']>;
  /** The language of e-mails and SMS; empty: the tenant's. */
  language: Language | '';
}

export const nameLimit = 64;

const emptyRow: readonly Entry[] = [{ key: 1, text: '' }];

export function newValues(): ChannelValues {
  return { name: '', on: byKind(() => false), entries: byKind(() => emptyRow), unknown: [], language: '' };
}

const entriesFrom = (texts: readonly string[]): readonly Entry[] =>
  texts.length === 0 ? emptyRow : texts.map((text, i) => ({ key: i + 1, text }));

export function valuesOf(channel: Channel): ChannelValues {
  const { noticeName, others = [], language } = channel;
  const used = kindsOf(channel);
  const recipients = recipientsByKind(channel);
  return {
    name: noticeName,
    on: byKind((mode) => used.includes(mode)),
    entries: byKind((mode) => entriesFrom(recipients[mode])),
    unknown: others.filter(({ mode }) => kindNamed(mode) === undefined),
    language: isLanguage(language) ? language : '',
  };
}

export function nextKey(entries: readonly Entry[]): number {
  return Math.max(0, ...entries.map(({ key }) => key)) + 1;
}

/** The recipients without empty rows. */
export function recipientsOf(values: ChannelValues, mode: ChannelKind): string[] {
  return values.entries[mode].map(({ text }) => kindSpecs[mode].normalize(text)).filter((text) => text !== '');
}

export function channelBody(values: ChannelValues): ChannelInput {
  const recipientsIfOn = (mode: ChannelKind) => (values.on[mode] ? recipientsOf(values, mode) : []);
  const others = channelKinds.filter((mode) => values.on[mode] && kindSpecs[mode].other);
  return {
    noticeName: values.name.trim(),
    noticeMode: specifiedKinds.filter((mode) => values.on[mode]),
    email: { emails: recipientsIfOn('email') },
    phoneMessage: recipientsIfOn('phoneMessage'),
    others: [...others.map((mode) => ({ mode, recipients: recipientsIfOn(mode) })), ...values.unknown],
    language: values.language || null,
  };
}

/** Whether the form equals the saved values, apart from its row keys. */
export function sameValues(a: ChannelValues, b: ChannelValues): boolean {
  const plain = ({ entries, ...rest }: ChannelValues) =>
    JSON.stringify([rest, channelKinds.map((mode) => entries[mode].map(({ text }) => text))]);
  return plain(a) === plain(b);
}

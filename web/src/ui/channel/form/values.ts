import { type Channel, type ChannelInput, type ChannelKind, channelKinds } from '@/lib/channel/queries';
import { isLanguage, type Language } from '@/lib/i18n/i18n';
import { normalizeNumber } from '@/lib/text/phoneNumber';

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
  /** The language of e-mails and SMS; empty: the tenant's. */
  language: Language | '';
}

export const nameLimit = 64;

const emptyRow: readonly Entry[] = [{ key: 1, text: '' }];

export function newValues(): ChannelValues {
  return {
    name: '',
    on: { email: false, phoneMessage: false },
    entries: { email: emptyRow, phoneMessage: emptyRow },
    language: '',
  };
}

const entriesFrom = (texts: readonly string[]): readonly Entry[] =>
  texts.length === 0 ? emptyRow : texts.map((text, i) => ({ key: i + 1, text }));

export function valuesOf({ noticeName, noticeMode, email, phoneMessage, language }: Channel): ChannelValues {
  return {
    name: noticeName,
    on: { email: noticeMode.includes('email'), phoneMessage: noticeMode.includes('phoneMessage') },
    entries: { email: entriesFrom(email.emails), phoneMessage: entriesFrom(phoneMessage) },
    language: isLanguage(language) ? language : '',
  };
}

export function nextKey(entries: readonly Entry[]): number {
  return Math.max(0, ...entries.map(({ key }) => key)) + 1;
}

/** A recipient as stored: people write blanks and dashes into numbers. */
export function normalizeRecipient(mode: ChannelKind, text: string): string {
  return mode === 'email' ? text.trim() : normalizeNumber(text);
}

/** The recipients without empty rows. */
export function recipientsOf(values: ChannelValues, mode: ChannelKind): string[] {
  return values.entries[mode].map(({ text }) => normalizeRecipient(mode, text)).filter((text) => text !== '');
}

export function channelBody(values: ChannelValues): ChannelInput {
  const recipientsIfOn = (mode: ChannelKind) => (values.on[mode] ? recipientsOf(values, mode) : []);
  return {
    noticeName: values.name.trim(),
    noticeMode: channelKinds.filter((mode) => values.on[mode]),
    email: { emails: recipientsIfOn('email') },
    phoneMessage: recipientsIfOn('phoneMessage'),
    language: values.language || null,
  };
}

/** Whether the form equals the saved values, apart from its row keys. */
export function sameValues(a: ChannelValues, b: ChannelValues): boolean {
  const plain = ({ entries, ...rest }: ChannelValues) =>
    JSON.stringify([rest, channelKinds.map((mode) => entries[mode].map(({ text }) => text))]);
  return plain(a) === plain(b);
}

import { type Channel, type ChannelInput, type ChannelKind, channelKinds } from '@/lib/channel/queries';
import { isLanguage, type Language } from '@/lib/i18n/i18n';
import { normalizeNumber } from '@/lib/text/phoneNumber';

/** A recipient as it is typed. */
export interface Entry {
  /** Stays with the row while others come and go. */
  key: number;
  text: string;
}

/** What the form holds. */
export interface ChannelValues {
  name: string;
  /** Which ways are used. */
  on: Readonly<Record<ChannelKind, boolean>>;
  /** By way; there is always a row to type into. */
  entries: Readonly<Record<ChannelKind, readonly Entry[]>>;
  /** What mail and SMS speak; empty: the farm's. */
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

/** A recipient as it is kept: people write blanks and dashes into numbers. */
export function normalizeRecipient(mode: ChannelKind, text: string): string {
  return mode === 'email' ? text.trim() : normalizeNumber(text);
}

/** The recipients that are filled in; a row that was left empty is none. */
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

/** What of the form differs from what is saved, apart from the numbering of its rows. */
export function sameValues(a: ChannelValues, b: ChannelValues): boolean {
  const plain = ({ entries, ...rest }: ChannelValues) =>
    JSON.stringify([rest, channelKinds.map((mode) => entries[mode].map(({ text }) => text))]);
  return plain(a) === plain(b);
}

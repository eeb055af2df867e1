import ApiOutlined from '@ant-design/icons/ApiOutlined';
import MailOutlined from '@ant-design/icons/MailOutlined';
import MobileOutlined from '@ant-design/icons/MobileOutlined';
import TelegramFilled from '@ant-design/icons/TelegramFilled';
import type { ParseKeys } from 'i18next';
import type { ComponentType, HTMLAttributes } from 'react';
import type { components } from '@/api/schema.gen';
import { isEmail } from '@/lib/text/emailAddress';
import { isInternational, normalizeNumber } from '@/lib/text/phoneNumber';
import { type ChannelKind, channelKinds } from './kindNames';

type Schemas = components['schemas'];

type Ways = Pick<Schemas['NoticeWays'], 'email' | 'phoneMessage' | 'logged' | 'others'>;
type ChannelRecipients = Pick<Schemas['NoticeChannel'], 'noticeMode' | 'email' | 'phoneMessage' | 'others'>;

/** The texts of a form's problems, which the server words the same; all know the kind's name. */
export interface KindSentences {
  empty: 'channel.emailEmpty' | 'channel.phoneEmpty' | 'channel.otherEmpty';
  format: 'channel.emailFormat' | 'channel.phoneFormat' | 'channel.otherFormat';
  twice: 'channel.emailTwice' | 'channel.phoneTwice' | 'channel.otherTwice';
}

/** What distinguishes a kind of channel; its words are in the locales, by its name on the wire. */
interface KindSpec {
  icon: ComponentType<HTMLAttributes<HTMLSpanElement>>;
  /** The most recipients that a channel can have. */
  most: number;
  /** How the field of a recipient looks. */
  field: { type: 'text' | 'tel'; inputMode: 'email' | 'tel' | 'text'; placeholder: string };
  /** A hint below the kind's name in the form. */
  hint?: ParseKeys;
  /** The recipients in one piece of a pasted list. */
  split: (piece: string) => readonly string[];
  /** A recipient as stored. */
  normalize: (text: string) => string;
  isRecipient: (normalized: string) => boolean;
  /** A text that is equal for recipients that are the same. */
  same: (normalized: string) => string;
  sentences: KindSentences;
  /** Whether its messages are only written to the server's log. */
  isLogged?: (ways: Ways) => boolean;
  /**
   * It came after e-mail and SMS: the contract has its recipients in `others`, and a form offers it
   * only where it is set up.
   */
  other?: true;
}

export const otherSentences: KindSentences = {
  empty: 'channel.otherEmpty',
  format: 'channel.otherFormat',
  twice: 'channel.otherTwice',
};

/** The longest address that mail can carry, in characters. */
const maxAddressLength = 254;

/** A mail's header has names beside the addresses, and an address holds no blanks. */
function addressesOf(piece: string): readonly string[] {
  const bracketed = /<([^<>\s]+)>/.exec(piece)?.[1];
  return bracketed === undefined ? piece.trim().split(/\s+/) : [bracketed];
}

/** All kinds of channels. */
const specs = {
  email: {
    icon: MailOutlined,
    most: 20,
    // Not of type email: the browser would remove blanks and validate by its own rules.
    field: { type: 'text', inputMode: 'email', placeholder: 'name@farm.example' },
    split: addressesOf,
    normalize: (text) => text.trim(),
    isRecipient: (text) => text.length <= maxAddressLength && isEmail(text),
    same: (text) => text.toLowerCase(),
    sentences: { empty: 'channel.emailEmpty', format: 'channel.emailFormat', twice: 'channel.emailTwice' },
  },
  phoneMessage: {
    icon: MobileOutlined,
    most: 3,
    field: { type: 'tel', inputMode: 'tel', placeholder: '+905551112233' },
    split: (piece) => [piece.trim()],
    normalize: normalizeNumber,
    isRecipient: isInternational,
    same: (text) => text.replace(/^\+/, ''),
    sentences: { empty: 'channel.phoneEmpty', format: 'channel.phoneFormat', twice: 'channel.phoneTwice' },
    isLogged: (ways) => ways.logged === true,
  },
  telegram: {
    icon: TelegramFilled,
    most: 20,
    field: { type: 'text', inputMode: 'text', placeholder: '-1001234567890' },
    hint: 'channel.form.hint.telegram',
    split: (piece) => piece.trim().split(/\s+/),
    // Phones write a minus as a dash, and Chinese keyboards produce a wide @.
    normalize: (text) => text.trim().replace(/^[−–]/, '-').replace(/^＠/, '@'),
    isRecipient: (text) =>
      /^@[a-z]\w{3,31}$/i.test(text) || (/^-?[1-9]\d{0,15}$/.test(text) && Math.abs(Number(text)) < 2 ** 52),
    same: (text) => text.toLowerCase(),
    sentences: otherSentences,
    other: true,
  },
} as const satisfies Record<ChannelKind, KindSpec>;

/** The kinds that `noticeMode` names. */
export type SpecifiedKind = ChannelRecipients['noticeMode'][number];
/** The kinds of channels, and webhooks. */
export type AnyChannelKind = ChannelKind | 'webhook';

export const kindSpecs: Readonly<Record<ChannelKind, KindSpec>> = specs;
export { type ChannelKind, channelKinds } from './kindNames';

/** The icon of each kind, wherever it is chosen or shown. */
export const kindIcon = (kind: AnyChannelKind) => (kind === 'webhook' ? ApiOutlined : kindSpecs[kind].icon);

/** The kind of this name; undefined for one that only a newer console knows. */
export function kindNamed(name: string | undefined): ChannelKind | undefined {
  return channelKinds.find((kind) => kind === name);
}

const isSpecified = (kind: ChannelKind): kind is SpecifiedKind => kindSpecs[kind].other !== true;

export const specifiedKinds = channelKinds.filter(isSpecified);

/** A channel's recipients by kind; none of kinds that it does not use. */
export function recipientsByKind(channel: ChannelRecipients): Record<ChannelKind, readonly string[]> {
  const specified: Record<SpecifiedKind, readonly string[]> = {
    email: channel.email.emails,
    phoneMessage: channel.phoneMessage,
  };
  const of = (kind: ChannelKind): readonly string[] =>
    isSpecified(kind) ? specified[kind] : (channel.others?.find(({ mode }) => mode === kind)?.recipients ?? []);
  return byKind(of);
}

/** The kinds that a channel uses. */
export function kindsOf({ noticeMode, others }: Pick<ChannelRecipients, 'noticeMode' | 'others'>): ChannelKind[] {
  return channelKinds.filter((kind) =>
    isSpecified(kind) ? noticeMode.includes(kind) : others?.some(({ mode }) => mode === kind),
  );
}

export function byKind<V>(of: (kind: ChannelKind) => V): Record<ChannelKind, V> {
  return Object.fromEntries(channelKinds.map((kind) => [kind, of(kind)])) as Record<ChannelKind, V>;
}

/** Whether the server can reach people this way. */
export function isSetUp(kind: ChannelKind, ways: Ways): boolean {
  return isSpecified(kind) ? ways[kind] : ways.others?.includes(kind) === true;
}

/** Whether lists and forms offer the kind: the specified ones always, others where they are set up. */
export function isOffered(kind: ChannelKind, ways: Ways | undefined): boolean {
  return isSpecified(kind) || (ways !== undefined && isSetUp(kind, ways));
}

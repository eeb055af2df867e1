import type { ChannelKind } from '@/lib/channel/queries';

const listSeparators = /[,;，；、\r\n\t]+/;

/** The addresses or numbers of a pasted list: from a mail's header, a table, a note. */
export function splitList(text: string, mode: ChannelKind): string[] {
  const pieces = text.split(listSeparators);
  // A number may contain blanks, an address none; and a mail's header has names beside the
  // addresses.
  const found = mode === 'email' ? pieces.flatMap((piece) => addressesOf(piece)) : pieces.map((piece) => piece.trim());
  return [...new Set(found.filter((one) => one !== ''))];
}

/**
 * The text typed before a comma or semicolon, with which the user moves on to the next entry; null:
 * there is no separator.
 */
export function beforeSeparator(text: string): string | null {
  const [, entry] = /^\s*([^,;，；、]*[^,;，；、\s])\s*[,;，；、]\s*$/.exec(text) ?? [];
  return entry ?? null;
}

function addressesOf(piece: string): string[] {
  const bracketed = /<([^<>\s]+)>/.exec(piece)?.[1];
  return bracketed === undefined ? piece.trim().split(/\s+/) : [bracketed];
}

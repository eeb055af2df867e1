import type { ChannelKind } from '@/lib/channel/queries';

const listSeparators = /[,;，；、\r\n\t]+/;

/** The addresses or numbers of a list that was pasted: out of a mail's head, a table, a note. */
export function splitList(text: string, mode: ChannelKind): string[] {
  const pieces = text.split(listSeparators);
  // A number may hold blanks, an address none; and a mail's head names people beside their addresses.
  const found = mode === 'email' ? pieces.flatMap((piece) => addressesOf(piece)) : pieces.map((piece) => piece.trim());
  return [...new Set(found.filter((one) => one !== ''))];
}

/** What was typed before a comma or semicolon, with which a person goes on to the next one; null: none was typed. */
export function beforeSeparator(text: string): string | null {
  const [, entry] = /^\s*([^,;，；、]*[^,;，；、\s])\s*[,;，；、]\s*$/.exec(text) ?? [];
  return entry ?? null;
}

function addressesOf(piece: string): string[] {
  const bracketed = /<([^<>\s]+)>/.exec(piece)?.[1];
  return bracketed === undefined ? piece.trim().split(/\s+/) : [bracketed];
}

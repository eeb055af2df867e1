import { type ChannelKind, kindSpecs } from '@/lib/channel/kinds';

const listSeparators = /[,;，；、\r\n\t]+/;

/** The recipients of a pasted list: from a mail's header, a table, a note. */
export function splitList(text: string, mode: ChannelKind): string[] {
  const pieces = text.split(listSeparators);
  const found = pieces.flatMap((piece) => kindSpecs[mode].split(piece));
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

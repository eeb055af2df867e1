import type { TFunction } from 'i18next';
import { type ChannelKind, channelKinds } from '@/lib/channel/queries';
import { ApiError } from '@/lib/http/api';
import { errorText } from '@/lib/http/errorText';
import { sentences } from './rules';
import { type ChannelValues, normalizeRecipient } from './values';

/** The server's refusal, and the field that its sentence names, if any. */
export type Refusal = { text: string } & (
  | { field: 'name' | 'modes' | 'form' }
  /** The row's `key`; for a whole box that of its first row. */
  | { field: ChannelKind; key: number }
);

/** The server answers in the request's language, with the same sentences as the form's. */
export function refusalOf(error: unknown, values: ChannelValues, t: TFunction): Refusal | null {
  if (!(error instanceof ApiError) || error.kind !== 'business' || error.code !== 601) return null;
  const text = errorText(error);
  if (text === t('common.nameRequired')) return { field: 'name', text };
  if (text === t('channel.modeRequired')) return { field: 'modes', text };
  for (const mode of channelKinds) {
    const entries = values.entries[mode];
    const { empty, format, twice } = sentences[mode];
    // Of two duplicates, the later one.
    const named = entries.findLast(
      (entry) =>
        entry.text.trim() !== '' &&
        [entry.text.trim(), normalizeRecipient(mode, entry.text)].some(
          (value) => text === t(format, { value }) || text === t(twice, { value }),
        ),
    );
    const found = named ?? (text === t(empty) ? entries[0] : undefined);
    if (found) return { field: mode, key: found.key, text };
  }
  return { field: 'form', text };
}

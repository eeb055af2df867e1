import type { TFunction } from 'i18next';
import { type ChannelKind, channelKinds } from '@/lib/channel/queries';
import { ApiError } from '@/lib/http/api';
import { errorText } from '@/lib/http/errorText';
import { sentences } from './rules';
import { type ChannelValues, normalizeRecipient } from './values';

/** What the server said is wrong, and with which field, as far as its sentence tells. */
export type Refusal = { text: string } & (
  | { field: 'name' | 'modes' | 'form' }
  /** `key` of the row; of a box as a whole its first one. */
  | { field: ChannelKind; key: number }
);

/** The server answers in the language of the request, with the very sentences that the form has. */
export function refusalOf(error: unknown, values: ChannelValues, t: TFunction): Refusal | null {
  if (!(error instanceof ApiError) || error.kind !== 'business' || error.code !== 601) return null;
  const text = errorText(error);
  if (text === t('common.nameRequired')) return { field: 'name', text };
  if (text === t('channel.modeRequired')) return { field: 'modes', text };
  for (const mode of channelKinds) {
    const entries = values.entries[mode];
    const { empty, format, twice } = sentences[mode];
    // Of what stands there twice the later one.
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

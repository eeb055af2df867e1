import type { TFunction } from 'i18next';
import { type ChannelKind, channelKinds, kindSpecs } from '@/lib/channel/kinds';
import { ApiError } from '@/lib/http/api';
import { errorText } from '@/lib/http/errorText';
import type { ChannelValues } from './values';

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
    const { normalize, sentences } = kindSpecs[mode];
    const { empty, format, twice } = sentences;
    const kind = t(`channel.modes.${mode}`);
    // Of two duplicates, the later one.
    const named = entries.findLast(
      (entry) =>
        entry.text.trim() !== '' &&
        [entry.text.trim(), normalize(entry.text)].some(
          (value) => text === t(format, { value, kind }) || text === t(twice, { value, kind }),
        ),
    );
    const found = named ?? (text === t(empty, { kind }) ? entries[0] : undefined);
    if (found) return { field: mode, key: found.key, text };
  }
  return { field: 'form', text };
}

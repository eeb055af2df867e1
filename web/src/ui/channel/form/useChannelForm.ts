import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKind, kindSpecs } from '@/lib/channel/kinds';
import { type Channel, refetchChannels } from '@/lib/channel/queries';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { useDraft } from '@/lib/storage/useDraft';
import { type Refusal, refusalOf } from './refusal';
import { checkChannel, type FieldProblem, isValid } from './rules';
import { type ChannelValues, channelBody, newValues, nextKey, sameValues, valuesOf } from './values';

/** The state and the actions of a channel's form; `channel` is null for a new one. */
export function useChannelForm(channel: Channel | null, onDone: (id: number) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  // The values when the form opened: changes by others must not change the user's input.
  const [before] = useState(() => (channel ? valuesOf(channel) : newValues()));
  const [values, setValues] = useState(before);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  /**
   * The number of failed attempts to save: after one, all problems are shown, and the first invalid
   * field takes the focus.
   */
  const [tries, setTries] = useState(0);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const saved = useRef(false);
  const dirty = !sameValues(values, before);
  const draft = useDraft<ChannelValues>(`channel-${channel?.id ?? 'new'}`, dirty ? values : null);
  const findings = checkChannel(values);

  const save = useMutation({
    mutationFn: async () => {
      const path = '/admin-api/client/pc/notice-channel';
      const body = channelBody(values);
      if (!channel) return api.post(`${path}/create`, { body });
      await api.put(`${path}/update`, { body: { id: channel.id, ...body } });
      return channel.id;
    },
    meta: { failure: 'common.saveFail', tone: 'error' },
    onError: (error) => setRefusal(refusalOf(error, values, t)),
    onSuccess: async () => {
      saved.current = true;
      draft.clear();
      // Refetches first, so that the closing form does not reveal the old name.
      await refetchChannels(client);
      toast.success(t(channel ? 'channel.updateOk' : 'channel.createOk'));
    },
  });

  // After a failed attempt or a refusal, the first invalid field takes the focus.
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (tries === 0 && refusal === null) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-refused]');
    wrong?.focus();
    wrong?.scrollIntoView?.({ block: 'nearest' });
  }, [tries, refusal]);

  const { clear } = draft;
  const newestClear = useRef(clear);
  useEffect(() => {
    newestClear.current = clear;
  });
  /** Discards the draft. */
  const giveUp = useCallback(() => {
    saved.current = true;
    newestClear.current();
  }, []);

  const change = (part: Partial<ChannelValues>) => {
    setValues((now) => ({ ...now, ...part }));
    setRefusal(null);
  };
  const changeEntries = (mode: ChannelKind, entries: ChannelValues['entries'][ChannelKind]) =>
    change({ entries: { ...values.entries, [mode]: entries } });

  const problemText = (field: string, wrong: FieldProblem | undefined, mode?: ChannelKind) =>
    wrong && (tries > 0 || left.has(field))
      ? t(wrong.key, { most: wrong.most, value: wrong.value, kind: mode && t(`channel.modes.${mode}`) })
      : undefined;

  return {
    values,
    /** The values when the form opened. */
    before,
    dirty,
    draft,
    refusal,
    save,
    saved,
    form,
    giveUp,
    change,
    restore: () => {
      const taken = draft.take();
      if (!taken) return;
      // An earlier version's draft lacks kinds that this one has.
      const { on, entries, ...rest } = taken;
      setValues((now) => ({ ...now, ...rest, on: { ...now.on, ...on }, entries: { ...now.entries, ...entries } }));
    },
    /** The problem of a field, once the user left it or tried to save. */
    errorOf: (field: 'name' | 'modes') =>
      refusal?.field === field ? refusal.text : problemText(field, findings[field]),
    entryError: (mode: ChannelKind, key: number) =>
      refusal?.field === mode && refusal.key === key
        ? refusal.text
        : problemText(`${mode} ${key}`, findings.entries[mode].get(key), mode),
    leave: (field: string) => setLeft((now) => new Set([...now, field])),
    toggle: (mode: ChannelKind) => change({ on: { ...values.on, [mode]: !values.on[mode] } }),
    /** Returns the key of the new row. */
    addEntry: (mode: ChannelKind) => {
      const key = nextKey(values.entries[mode]);
      changeEntries(mode, [...values.entries[mode], { key, text: '' }]);
      return key;
    },
    typeEntry: (mode: ChannelKind, key: number, text: string) =>
      changeEntries(
        mode,
        values.entries[mode].map((entry) => (entry.key === key ? { key, text } : entry)),
      ),
    /** Removes a row; the last remaining one is cleared instead. */
    removeEntry: (mode: ChannelKind, key: number) => {
      const entries = values.entries[mode];
      if (entries.length > 1)
        changeEntries(
          mode,
          entries.filter((entry) => entry.key !== key),
        );
      else changeEntries(mode, [{ key, text: '' }]);
    },
    /**
     * Replaces an entry by a list, and returns the key of the last row; reports entries that do not
     * fit.
     */
    pasteEntries: (mode: ChannelKind, key: number, texts: readonly string[]): number => {
      const entries = values.entries[mode];
      const fresh = nextKey(entries);
      const rows = entries.flatMap((entry) =>
        entry.key === key
          ? texts.map((text, i) => ({ key: i === 0 ? key : fresh + i, text }))
          : entry.text.trim() === ''
            ? []
            : entry,
      );
      const { most } = kindSpecs[mode];
      if (rows.length > most) toast.warning(t('channel.form.most', { most }));
      changeEntries(mode, rows.slice(0, most));
      return fresh + texts.length - 1;
    },
    submit: () => {
      if (save.isPending) return;
      if (isValid(findings)) save.mutate(undefined, { onSuccess: onDone });
      else setTries((now) => now + 1);
    },
  };
}

export type ChannelFormState = ReturnType<typeof useChannelForm>;

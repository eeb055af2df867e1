import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { Checkbox } from 'antd';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKind, kindSpecs } from '@/lib/channel/kinds';
import { useFormat } from '@/lib/format/format';
import css from './ChannelKindBox.module.css';
import { EntryRow } from './EntryRow';
import { beforeSeparator, splitList } from './split';
import type { ChannelFormState } from './useChannelForm';
import { recipientsOf } from './values';

interface ChannelKindBoxProps {
  mode: ChannelKind;
  form: ChannelFormState;
  /** No kind is chosen, which is an error. */
  wrong: boolean;
  describedBy: string | undefined;
  /** A note on this kind on this server. */
  note: ReactNode;
}

/** A channel kind and its recipients, with their number and the maximum. */
export function ChannelKindBox({ mode, form, wrong, describedBy, note }: ChannelKindBoxProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { icon: Icon, most, hint } = kindSpecs[mode];
  const { values } = form;
  const on = values.on[mode];
  const entries = values.entries[mode];
  const inputs = useRef(new Map<number, HTMLInputElement>());
  /** The row that takes the focus as soon as it is rendered. */
  const awaited = useRef<number | null>(null);

  const hold = (key: number) => (input: HTMLInputElement | null) => {
    if (!input) {
      inputs.current.delete(key);
      return;
    }
    inputs.current.set(key, input);
    if (awaited.current !== key) return;
    awaited.current = null;
    input.focus();
  };
  const toggle = () => {
    awaited.current = on ? null : (entries[0]?.key ?? null);
    form.toggle(mode);
  };
  const type = (key: number, text: string) => {
    const done = beforeSeparator(text);
    if (done === null || entries.length >= most) form.typeEntry(mode, key, text);
    else awaited.current = form.pasteEntries(mode, key, [done, '']);
  };
  const remove = (key: number) => {
    const at = entries.findIndex((entry) => entry.key === key);
    const next = entries[at + 1] ?? entries[at - 1] ?? entries[at];
    form.removeEntry(mode, key);
    // The button disappears, so the focus must move.
    if (next) inputs.current.get(next.key)?.focus();
  };

  return (
    <div className={`${css.box} ${wrong ? css.wrong : ''}`}>
      <div className={css.head}>
        <Checkbox
          checked={on}
          onChange={toggle}
          aria-invalid={wrong ? true : undefined}
          aria-describedby={describedBy}
          className={css.check}
        >
          <span className={css.name}>
            <Icon aria-hidden="true" />
            {t(`channel.modes.${mode}`)}
          </span>
        </Checkbox>
        {on ? (
          <span className={css.count}>
            {t('channel.form.count', {
              n: format.number(recipientsOf(values, mode).length),
              most: format.number(most),
            })}
          </span>
        ) : null}
      </div>
      {on ? (
        <div className={css.rows}>
          {note}
          {hint ? <p className={css.hint}>{t(hint)}</p> : null}
          {entries.map((entry, i) => (
            <EntryRow
              key={entry.key}
              mode={mode}
              nth={i + 1}
              text={entry.text}
              error={form.entryError(mode, entry.key)}
              input={hold(entry.key)}
              onType={(text) => type(entry.key, text)}
              onPaste={(text) => {
                const texts = splitList(text, mode);
                if (texts.length < 2) return false;
                form.pasteEntries(mode, entry.key, texts);
                return true;
              }}
              onLeave={() => {
                // An empty row that the user only passed through is no error yet.
                if (entry.text.trim() !== '') form.leave(`${mode} ${entry.key}`);
              }}
              onRemove={() => remove(entry.key)}
              // One empty row has nothing to remove.
              removable={entries.length > 1 || entry.text !== ''}
            />
          ))}
          {entries.length < most ? (
            <button
              type="button"
              className={css.add}
              onClick={() => {
                awaited.current = form.addEntry(mode);
              }}
            >
              <PlusOutlined aria-hidden="true" />
              {t(`channel.form.add.${mode}`)}
            </button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

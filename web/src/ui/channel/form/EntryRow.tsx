import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import MinusCircleOutlined from '@ant-design/icons/MinusCircleOutlined';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKind, kindSpecs } from '@/lib/channel/kinds';
import { IconButton } from '@/ui/IconButton';
import css from './ChannelKindBox.module.css';

interface EntryRowProps {
  mode: ChannelKind;
  /** Its position, from 1. */
  nth: number;
  text: string;
  error: string | undefined;
  removable: boolean;
  input: (element: HTMLInputElement | null) => void;
  onType: (text: string) => void;
  /** Returns whether it handled the pasted text; otherwise the field does. */
  onPaste: (text: string) => boolean;
  onLeave: () => void;
  onRemove: () => void;
}

/** One recipient: a field, its remove button, and the error below. */
export function EntryRow({ mode, nth, text, error, removable, input, ...on }: EntryRowProps) {
  const { t } = useTranslation();
  const id = useId();
  const { placeholder, inputMode, type } = kindSpecs[mode].field;
  return (
    <div className={css.entry}>
      <div className={css.row}>
        <input
          ref={input}
          className={css.input}
          type={type}
          inputMode={inputMode}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-label={t(`channel.form.nth.${mode}`, { n: nth })}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? id : undefined}
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => on.onType(target.value)}
          onPaste={(event) => {
            if (on.onPaste(event.clipboardData.getData('text'))) event.preventDefault();
          }}
          onBlur={on.onLeave}
        />
        {removable ? (
          <IconButton
            className={css.remove}
            label={t('channel.form.remove', { name: text.trim() || t(`channel.form.nth.${mode}`, { n: nth }) })}
            icon={<MinusCircleOutlined aria-hidden="true" />}
            onClick={on.onRemove}
          />
        ) : (
          <span className={css.noRemove} />
        )}
      </div>
      {error ? (
        <p className={css.error} id={id}>
          <ExclamationCircleOutlined aria-hidden="true" />
          <span>{error}</span>
        </p>
      ) : null}
    </div>
  );
}

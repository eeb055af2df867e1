import CloseOutlined from '@ant-design/icons/CloseOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton';
import css from './SearchField.module.css';

interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Spoken. */
  label: string;
  placeholder: string;
  onEnter?: () => void;
  /** What the cross and Escape do, if more than to empty the field. */
  onClear?: () => void;
  /** The field took the place of a title: it has no frame, has the keyboard at once, and cross and Escape give the place back. */
  onClose?: () => void;
}

/** Where one types what is searched for. It keeps nothing and asks nobody; the landmark around it is its user's. */
export function SearchField({ value, onChange, label, placeholder, onEnter, onClear, onClose }: SearchFieldProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const clear = onClear ?? (() => onChange(''));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onEnter?.();
    if (event.key !== 'Escape') return;
    if (onClose) onClose();
    else if (value !== '') {
      // A drawer around it stays open.
      event.stopPropagation();
      clear();
    }
  };
  const onCross = () => {
    clear();
    // The cross goes away, and the keyboard must not go with it.
    input.current?.focus();
  };

  return (
    <div className={`${css.field} ${onClose ? css.bare : ''}`}>
      <SearchOutlined className={css.icon} aria-hidden="true" />
      <input
        ref={input}
        // biome-ignore lint/a11y/noAutofocus: where it takes a title's place the person has just asked for it
        autoFocus={onClose !== undefined}
        className={css.input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        maxLength={64}
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {onClose || value !== '' ? (
        <IconButton
          className={css.cross}
          label={t(onClose ? 'home.search.close' : 'home.search.clear')}
          icon={<CloseOutlined aria-hidden="true" />}
          onClick={onClose ?? onCross}
        />
      ) : null}
    </div>
  );
}

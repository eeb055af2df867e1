import CloseOutlined from '@ant-design/icons/CloseOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton';
import css from './SearchField.module.css';

interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** For screen readers. */
  label: string;
  placeholder: string;
  onEnter?: () => void;
  /** The action of the cross and Escape, if more than clearing the field. */
  onClear?: () => void;
  /**
   * Set where the field replaces a title: it has no frame, takes the focus at once, and the cross
   * and Escape close it.
   */
  onClose?: () => void;
}

/** A search input. It holds no state and makes no calls; the caller provides the landmark around it. */
export function SearchField({ value, onChange, label, placeholder, onEnter, onClear, onClose }: SearchFieldProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const clear = onClear ?? (() => onChange(''));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onEnter?.();
    if (event.key !== 'Escape') return;
    if (onClose) onClose();
    else if (value !== '') {
      // Keeps a drawer around it open.
      event.stopPropagation();
      clear();
    }
  };
  const onCross = () => {
    clear();
    // The cross disappears, so the focus must move.
    input.current?.focus();
  };

  return (
    <div className={`${css.field} ${onClose ? css.bare : ''}`}>
      <SearchOutlined className={css.icon} aria-hidden="true" />
      <input
        ref={input}
        // biome-ignore lint/a11y/noAutofocus: in a title's place the user has just opened it
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

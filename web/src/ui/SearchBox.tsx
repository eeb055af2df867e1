import CloseOutlined from '@ant-design/icons/CloseOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettled } from '@/lib/useSettled';
import { IconButton } from './IconButton';
import css from './SearchBox.module.css';

interface SearchBoxProps {
  /** What is searched for; it may change from elsewhere. */
  text: string;
  onSearch: (text: string) => void;
  /** Spoken. */
  label: string;
  placeholder: string;
}

/** Searches once typing has paused, at once with Enter; Escape empties it. */
export function SearchBox({ text, onSearch, label, placeholder }: SearchBoxProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(text);
  const [asked, setAsked] = useState(text);
  const settled = useSettled(typed.trim());

  // The way back, or a cleared filter, changed it: what is typed follows.
  if (text !== asked) {
    setAsked(text);
    if (text !== typed.trim()) setTyped(text);
  }
  const ask = (next: string) => {
    if (next === asked) return;
    setAsked(next);
    onSearch(next);
  };
  useEffect(() => {
    // Only what is typed now is asked for: what has just been cleared from elsewhere still settles.
    if (settled === asked || settled !== typed.trim()) return;
    setAsked(settled);
    onSearch(settled);
  }, [settled, asked, typed, onSearch]);

  return (
    <search className={css.box}>
      <SearchOutlined className={css.icon} aria-hidden="true" />
      <input
        className={css.input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        maxLength={64}
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') ask(typed.trim());
          if (event.key !== 'Escape' || typed === '') return;
          // A drawer around it stays open.
          event.stopPropagation();
          setTyped('');
        }}
      />
      {typed ? (
        <IconButton
          className={css.clear}
          label={t('home.search.clear')}
          icon={<CloseOutlined aria-hidden="true" />}
          onClick={() => setTyped('')}
        />
      ) : null}
    </search>
  );
}

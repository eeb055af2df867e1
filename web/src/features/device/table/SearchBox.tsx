import CloseOutlined from '@ant-design/icons/CloseOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettled } from '@/lib/useSettled';
import { IconButton } from '@/ui/IconButton';
import css from './SearchBox.module.css';

interface SearchBoxProps {
  /** What is searched for; it may change from elsewhere. */
  text: string;
  onSearch: (text: string) => void;
}

/** Searches once typing has paused; Escape empties it. */
export function SearchBox({ text, onSearch }: SearchBoxProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(text);
  const [asked, setAsked] = useState(text);
  const settled = useSettled(typed.trim());

  // The way back, or a cleared filter, changed it: what is typed follows.
  if (text !== asked) {
    setAsked(text);
    if (text !== typed.trim()) setTyped(text);
  }
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
        aria-label={t('home.list.search')}
        placeholder={t('device.search')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyped('');
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

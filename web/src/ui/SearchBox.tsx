import { useEffect, useState } from 'react';
import { useSettled } from '@/lib/useSettled';
import css from './SearchBox.module.css';
import { SearchField } from './SearchField';

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
    <search className={css.place}>
      <SearchField
        value={typed}
        onChange={setTyped}
        label={label}
        placeholder={placeholder}
        onEnter={() => ask(typed.trim())}
      />
    </search>
  );
}

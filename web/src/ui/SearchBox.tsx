import { useEffect, useState } from 'react';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
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
  const [submittedText, setSubmittedText] = useState(text);
  const settled = useDebouncedText(typed.trim());

  // The way back, or a cleared filter, changed it: what is typed follows.
  if (text !== submittedText) {
    setSubmittedText(text);
    if (text !== typed.trim()) setTyped(text);
  }
  const ask = (next: string) => {
    if (next === submittedText) return;
    setSubmittedText(next);
    onSearch(next);
  };
  useEffect(() => {
    // Only what is typed now is asked for: what has just been cleared from elsewhere still settles.
    if (settled === submittedText || settled !== typed.trim()) return;
    setSubmittedText(settled);
    onSearch(settled);
  }, [settled, submittedText, typed, onSearch]);

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

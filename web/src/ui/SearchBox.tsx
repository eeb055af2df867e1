import { useEffect, useState } from 'react';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import css from './SearchBox.module.css';
import { SearchField } from './SearchField';

interface SearchBoxProps {
  /** The searched text; it may change from outside. */
  text: string;
  onSearch: (text: string) => void;
  /** For screen readers. */
  label: string;
  placeholder: string;
}

/** Searches once typing pauses, at once on Enter; Escape clears it. */
export function SearchBox({ text, onSearch, label, placeholder }: SearchBoxProps) {
  const [typed, setTyped] = useState(text);
  const [submittedText, setSubmittedText] = useState(text);
  const settled = useDebouncedText(typed.trim());

  // The back button or a cleared filter changed the text: the input follows.
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
    // Searches only the current input: a text cleared from outside may still settle.
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

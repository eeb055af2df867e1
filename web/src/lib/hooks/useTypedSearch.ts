import { useEffect, useState } from 'react';
import { useDebouncedText } from './useDebouncedText';

/**
 * The text of a search field, which searches once typing pauses. `text` is the searched one, and may
 * change from outside.
 */
export function useTypedSearch(text: string, onSearch: (text: string) => void) {
  const [typed, setTyped] = useState(text);
  const [submittedText, setSubmittedText] = useState(text);
  const settled = useDebouncedText(typed.trim());

  // The back button or a cleared filter changed the text: the input follows.
  if (text !== submittedText) {
    setSubmittedText(text);
    if (text !== typed.trim()) setTyped(text);
  }
  useEffect(() => {
    // Searches only the current input: a text cleared from outside may still settle.
    if (settled === submittedText || settled !== typed.trim()) return;
    setSubmittedText(settled);
    onSearch(settled);
  }, [settled, submittedText, typed, onSearch]);

  return {
    typed,
    type: setTyped,
    /** Searches at once; also called with an unchanged text. */
    searchNow: () => {
      setSubmittedText(typed.trim());
      onSearch(typed.trim());
    },
  };
}

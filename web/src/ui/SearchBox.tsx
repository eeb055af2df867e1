import { useTypedSearch } from '@/lib/hooks/useTypedSearch';
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
  const { typed, type, searchNow } = useTypedSearch(text, onSearch);
  const onEnter = () => {
    if (typed.trim() !== text) searchNow();
  };
  return (
    <search className={css.place}>
      <SearchField value={typed} onChange={type} label={label} placeholder={placeholder} onEnter={onEnter} />
    </search>
  );
}

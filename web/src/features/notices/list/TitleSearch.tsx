import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchField } from '@/ui/SearchField';
import css from './TitleSearch.module.css';

interface TitleSearchProps {
  /** The current search text; it may also change from elsewhere. */
  text: string;
  /** Also called with an unchanged text, so that the user can refresh the list. */
  onSearch: (text: string) => void;
}

/** Searches titles on the button or Enter; Escape and the clear button empty it. */
export function TitleSearch({ text, onSearch }: TitleSearchProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  if (text !== known) {
    setKnown(text);
    setTyped(text);
  }
  const clear = () => {
    setTyped('');
    if (text !== '') onSearch('');
  };
  return (
    <search className={css.search}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(typed.trim());
        }}
      >
        <SearchField
          value={typed}
          onChange={setTyped}
          label={t('inform.search')}
          placeholder={t('inform.title')}
          onClear={clear}
        />
        <Button htmlType="submit" className={css.query}>
          {t('inform.query')}
        </Button>
      </form>
    </search>
  );
}

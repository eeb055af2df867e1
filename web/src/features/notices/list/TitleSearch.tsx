import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useTypedSearch } from '@/lib/hooks/useTypedSearch';
import { SearchField } from '@/ui/SearchField';
import css from './TitleSearch.module.css';

interface TitleSearchProps {
  /** The current search text; it may also change from elsewhere. */
  text: string;
  /** Also called with an unchanged text, so that the user can refresh the list. */
  onSearch: (text: string) => void;
}

/** Searches titles once typing pauses, at once on the button or Enter; Escape and the cross empty it. */
export function TitleSearch({ text, onSearch }: TitleSearchProps) {
  const { t } = useTranslation();
  const { typed, type, searchNow } = useTypedSearch(text, onSearch);
  return (
    <search className={css.search}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          searchNow();
        }}
      >
        <SearchField value={typed} onChange={type} label={t('inform.search')} placeholder={t('inform.title')} />
        <Button htmlType="submit" className={css.query}>
          {t('inform.query')}
        </Button>
      </form>
    </search>
  );
}

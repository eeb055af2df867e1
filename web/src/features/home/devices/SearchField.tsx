import CloseOutlined from '@ant-design/icons/CloseOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import css from './SearchField.module.css';

interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
  onClose: () => void;
}

/** Takes the place of the list's title; Escape gives it back. */
export function SearchField({ value, onChange, onClose }: SearchFieldProps) {
  const { t } = useTranslation();
  return (
    <search className={css.field}>
      <SearchOutlined className={css.icon} aria-hidden="true" />
      <input
        // biome-ignore lint/a11y/noAutofocus: the person just asked for this field
        autoFocus
        className={css.input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        maxLength={64}
        aria-label={t('home.list.search')}
        placeholder={t('home.search.placeholder')}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
        }}
      />
      <IconButton className={css.close} label={t('home.search.close')} icon={<CloseOutlined />} onClick={onClose} />
    </search>
  );
}

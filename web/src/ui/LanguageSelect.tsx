import DownOutlined from '@ant-design/icons/DownOutlined';
import GlobalOutlined from '@ant-design/icons/GlobalOutlined';
import { useTranslation } from 'react-i18next';
import { showError } from '@/lib/http/errorText';
import { ApiError } from '@/lib/http/http';
import { isLanguage, languages, useLanguage } from '@/lib/i18n/i18n';
import css from './LanguageSelect.module.css';

interface LanguageSelectProps {
  /** With a field's border for a form; plain in a bar. */
  framed?: boolean;
  /** On a phone only the globe, as large as a touch target: a bar has no room for words. */
  small?: boolean;
  className?: string;
}

/**
 * A native select: it works with every keyboard, phone and screen reader. Each language's name is
 * in that language.
 */
export function LanguageSelect({ framed = false, small = false, className = '' }: LanguageSelectProps) {
  const { t } = useTranslation();
  const { language, setLanguage } = useLanguage();

  const choose = (wanted: string) => {
    if (!isLanguage(wanted)) return;
    // The texts are a file of this server, so a failure means no connection.
    setLanguage(wanted).catch(() => showError(new ApiError(0, '', 'network')));
  };

  return (
    <span className={`${css.box} ${framed ? css.framed : ''} ${small ? css.small : ''} ${className}`}>
      <GlobalOutlined className={css.globe} aria-hidden="true" />
      <select
        className={css.select}
        aria-label={t('shell.language')}
        value={language}
        onChange={(event) => choose(event.target.value)}
      >
        {languages.map(({ code, name, tag }) => (
          <option key={code} value={code} lang={tag}>
            {name}
          </option>
        ))}
      </select>
      <DownOutlined className={css.chevron} aria-hidden="true" />
    </span>
  );
}

import SearchOutlined from '@ant-design/icons/SearchOutlined';
import SettingOutlined from '@ant-design/icons/SettingOutlined';
import { useTranslation } from 'react-i18next';
import { usePreferences } from '@/lib/storage/preferences';
import { IconButton } from '@/ui/IconButton';
import { LanguageSelect } from '@/ui/LanguageSelect';
import { ZoneNote } from '@/ui/ZoneNote';
import { Bell } from './Bell';
import css from './TopBar.module.css';
import { UserLink } from './UserLink';

interface TopBarProps {
  /** Receives the element for the page's title. */
  titleRef: (element: HTMLElement | null) => void;
  searchOpen: boolean;
  onSearch: () => void;
  settingsOpen: boolean;
  onSettings: () => void;
}

export function TopBar({ titleRef, searchOpen, onSearch, settingsOpen, onSettings }: TopBarProps) {
  const { t } = useTranslation();
  const fixed = usePreferences((state) => state.fixedNavbar);

  return (
    <header className={`${css.bar} ${fixed ? css.fixed : ''}`}>
      <div className={css.title} ref={titleRef} />
      <div className={css.tools}>
        <span className={css.zone}>
          <ZoneNote brief />
        </span>
        <IconButton
          className={css.search}
          label={t('search.open')}
          icon={<SearchOutlined />}
          aria-haspopup="dialog"
          aria-expanded={searchOpen}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={onSearch}
        />
        <LanguageSelect small />
        <Bell />
        <UserLink className={css.who} />
        <IconButton
          label={t('settings.title')}
          icon={<SettingOutlined />}
          aria-haspopup="dialog"
          aria-expanded={settingsOpen}
          onClick={onSettings}
        />
      </div>
    </header>
  );
}

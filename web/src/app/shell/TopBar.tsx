import MenuOutlined from '@ant-design/icons/MenuOutlined';
import SettingOutlined from '@ant-design/icons/SettingOutlined';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePreferences } from '@/lib/preferences';
import { userQuery } from '@/lib/queries';
import { Avatar } from '@/ui/Avatar';
import { IconButton } from '@/ui/IconButton';
import { LanguageSelect } from '@/ui/LanguageSelect';
import { Bell } from './Bell';
import css from './TopBar.module.css';

interface TopBarProps {
  /** Takes the element in which the page's title is to stand. */
  titleRef: (element: HTMLElement | null) => void;
  menuOpen: boolean;
  onMenu: () => void;
  settingsOpen: boolean;
  onSettings: () => void;
}

export function TopBar({ titleRef, menuOpen, onMenu, settingsOpen, onSettings }: TopBarProps) {
  const { t } = useTranslation();
  const fixed = usePreferences((state) => state.fixedNavbar);
  const user = useQuery(userQuery()).data;
  const name = user ? user.nickname || user.userName : '';

  return (
    <header className={`${css.bar} ${fixed ? css.fixed : ''}`}>
      <span className={css.menu}>
        <IconButton
          label={t('shell.openMenu')}
          icon={<MenuOutlined />}
          aria-haspopup="dialog"
          aria-expanded={menuOpen}
          onClick={onMenu}
        />
      </span>
      <div className={css.title} ref={titleRef} />
      <div className={css.tools}>
        <span className={css.wide}>
          <LanguageSelect />
        </span>
        <Bell />
        {name ? (
          <Link to="/profile" className={`${css.who} ${css.wide}`} title={name}>
            <Avatar name={name} picture={user?.avatar} />
            <span className={css.name}>{name}</span>
          </Link>
        ) : null}
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

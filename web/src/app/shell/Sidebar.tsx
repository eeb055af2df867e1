import { Link } from '@tanstack/react-router';
import { usePreferences } from '@/lib/storage/preferences';
import { BrandLogo } from '@/ui/BrandLogo';
import { LiveStatusFooter } from './LiveStatusFooter';
import { Menu } from './Menu';
import css from './Sidebar.module.css';
import { UserLink } from './UserLink';

interface SidebarProps {
  /** Set in the phone's drawer. */
  onChoose?: () => void;
}

/**
 * The left column: brand, menu, and whether the screen is live. The phone's drawer shows the same
 * and the signed-in user, for whom the bar has no room there.
 */
export function Sidebar({ onChoose }: SidebarProps) {
  const { sidebarColor, sidebarType } = usePreferences();
  return (
    <div className={css.ground} data-type={sidebarType}>
      {/* A dark sidebar uses the dark theme's values, whatever theme the page has. */}
      <div className={css.side} data-color={sidebarColor} {...(sidebarType === 'dark' ? { 'data-theme': 'dark' } : {})}>
        <Link to="/" className={css.brand} onClick={onChoose}>
          <span className={css.full}>
            <BrandLogo height={24} />
          </span>
          <span className={css.mark}>
            <BrandLogo height={28} markOnly />
          </span>
        </Link>
        {onChoose ? <UserLink onChoose={onChoose} /> : null}
        <Menu onChoose={onChoose} />
        <LiveStatusFooter />
      </div>
    </div>
  );
}

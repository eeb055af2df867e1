import MenuOutlined from '@ant-design/icons/MenuOutlined';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { overviewQuery } from '@/lib/http/queries';
import css from './BottomBar.module.css';
import { Count } from './Count';
import { belongsTo, mainMenuEntries } from './menuEntries';

const bottomBarEntries = mainMenuEntries.filter(({ name }) => name === 'home' || name === 'data' || name === 'inform');

interface BottomBarProps {
  menuOpen: boolean;
  onMenu: () => void;
}

/** On a phone: the three pages that a user opens most often, and the menu with all of them. */
export function BottomBar({ menuOpen, onMenu }: BottomBarProps) {
  const { t } = useTranslation();
  const pending = useQuery(overviewQuery()).data?.pendingAlarmCount ?? 0;
  const path = useRouterState({ select: (state) => state.location.pathname });
  const elsewhere = !bottomBarEntries.some((entry) => belongsTo(path, entry));

  return (
    <nav aria-label={t('nav.shortcuts')} className={css.bar}>
      <ul className={css.entries}>
        {bottomBarEntries.map((entry) => (
          <li key={entry.name}>
            <Link to={entry.path} className={`${css.entry} ${belongsTo(path, entry) ? css.active : ''}`}>
              <entry.Icon className={css.icon} aria-hidden="true" />
              <span className={css.name}>{t(`nav.${entry.name}`)}</span>{' '}
              {entry.name === 'inform' && pending > 0 ? (
                <Count count={pending} meaning={t('shell.pending', { count: pending })} alarm className={css.count} />
              ) : null}
            </Link>
          </li>
        ))}
        <li>
          <button
            type="button"
            className={`${css.entry} ${elsewhere ? css.active : ''}`}
            aria-haspopup="dialog"
            aria-expanded={menuOpen}
            onClick={onMenu}
          >
            <MenuOutlined className={css.icon} aria-hidden="true" />
            <span className={css.name}>{t('nav.more')}</span>
          </button>
        </li>
      </ul>
    </nav>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { overviewQuery, unreadCountQuery } from '@/lib/http/queries';
import { Count } from './Count';
import css from './Menu.module.css';
import { belongsTo, type MenuEntry, mainMenuEntries, personalMenuEntries } from './menuEntries';

interface MenuProps {
  /** Called when the user chooses an entry; the drawer then closes. */
  onChoose?: () => void;
}

/** The six screens, then the user's own pages. */
export function Menu({ onChoose }: MenuProps) {
  const { t } = useTranslation();
  const heading = useId();
  const pending = useQuery(overviewQuery()).data?.pendingAlarmCount ?? 0;
  const unread = useQuery(unreadCountQuery()).data ?? 0;

  return (
    <nav aria-label={t('nav.label')} className={css.menu}>
      <ul>
        {mainMenuEntries.map((entry) => (
          <Item key={entry.name} entry={entry} onChoose={onChoose}>
            {entry.name === 'inform' && pending > 0 ? (
              <Count count={pending} meaning={t('shell.pending', { count: pending })} alarm className={css.count} />
            ) : null}
          </Item>
        ))}
      </ul>
      <h2 className={css.heading} id={heading}>
        <span>{t('nav.personal')}</span>
      </h2>
      <ul aria-labelledby={heading}>
        {personalMenuEntries.map((entry) => (
          <Item key={entry.name} entry={entry} onChoose={onChoose}>
            {entry.name === 'message' && unread > 0 ? (
              <Count count={unread} meaning={t('shell.unread', { count: unread })} className={css.count} />
            ) : null}
          </Item>
        ))}
      </ul>
    </nav>
  );
}

interface ItemProps {
  entry: MenuEntry;
  onChoose?: () => void;
  children: ReactNode;
}

function Item({ entry, onChoose, children }: ItemProps) {
  const { t } = useTranslation();
  const name = t(`nav.${entry.name}`);
  const active = useRouterState({ select: ({ location }) => belongsTo(location.pathname, entry) });
  return (
    <li>
      <Link to={entry.path} className={`${css.item} ${active ? css.active : ''}`} title={name} onClick={onChoose}>
        <entry.Icon className={css.icon} aria-hidden="true" />
        <span className={css.name}>{name}</span> {children}
      </Link>
    </li>
  );
}

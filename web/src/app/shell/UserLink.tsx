import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { userQuery } from '@/lib/http/queries';
import { Avatar } from '@/ui/Avatar';
import css from './UserLink.module.css';

interface UserLinkProps {
  className?: string;
  /** Called on a click; the drawer then closes. */
  onChoose?: () => void;
}

/** The signed-in user's nickname, linked to the profile. */
export function UserLink({ className = '', onChoose }: UserLinkProps) {
  const user = useQuery(userQuery()).data;
  const name = user ? user.nickname || user.userName : '';
  if (!name) return null;
  return (
    <Link to="/profile" className={`${css.who} ${className}`} title={name} onClick={onChoose}>
      <Avatar name={name} picture={user?.avatar} />
      <span className={css.name}>{name}</span>
    </Link>
  );
}

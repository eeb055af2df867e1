import type { KeyboardEvent, RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmNotice } from '@/lib/alarm/notices';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { NoticeCard } from './NoticeCard';
import css from './NoticeList.module.css';

interface NoticeListProps {
  /** Undefined while the first page loads. */
  notices: readonly AlarmNotice[] | undefined;
  chosen: number | undefined;
  /** The next page is loading; the previous one is shown until then. */
  waiting: boolean;
  /** Opens a notice that the arrow keys lead to; undefined if notices open in the list's place. */
  onWalk?: (id: number) => void;
  place: RefObject<HTMLUListElement | null>;
}

/** The notices of a page, newest first. The arrow keys move through them. */
export function NoticeList({ notices, chosen, waiting, onWalk, place }: NoticeListProps) {
  const { t } = useTranslation();
  if (!notices) return <ListSkeleton />;

  const walk = (event: KeyboardEvent<HTMLUListElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = notices[to];
    if (!next) return;
    links[to]?.focus();
    onWalk?.(next.id);
  };
  return (
    <ul
      ref={place}
      className={`${css.list} ${waiting ? css.waiting : ''}`}
      aria-label={t('inform.list')}
      aria-busy={waiting}
      onKeyDown={walk}
    >
      {notices.map((notice) => (
        <li key={notice.id}>
          <NoticeCard notice={notice} chosen={notice.id === chosen} step={!onWalk} />
        </li>
      ))}
    </ul>
  );
}

function ListSkeleton() {
  return (
    <Loading>
      <div className={css.list}>
        {['62%', '48%', '70%', '55%', '66%', '44%', '58%'].map((width) => (
          <div key={width} className={css.skeleton}>
            <Skeleton height={16} width={width} />
            <Skeleton height={12} width="38%" />
            <Skeleton height={22} width="72%" />
          </div>
        ))}
      </div>
    </Loading>
  );
}

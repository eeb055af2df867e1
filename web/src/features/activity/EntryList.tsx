import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './EntryList.module.css';
import { EntryRow } from './EntryRow';
import type { textContext } from './entryText';
import type { Entry } from './queries';

interface EntryListProps {
  /** Undefined while the first page loads. */
  entries: readonly Entry[] | undefined;
  context: ReturnType<typeof textContext>;
  beside: boolean;
  /** The entry that stands beside the list or is unfolded in it. */
  chosen: number | undefined;
}

/** The entries of one page, newest first. */
export function EntryList({ entries, context, beside, chosen }: EntryListProps) {
  if (!entries) {
    return (
      <Loading>
        <div className={css.list}>
          {['62%', '48%', '70%', '55%', '66%', '44%', '58%', '50%'].map((width) => (
            <div key={width} className={css.skeleton}>
              <Skeleton height={16} width={width} />
            </div>
          ))}
        </div>
      </Loading>
    );
  }
  return (
    <ul className={css.list}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <EntryRow entry={entry} context={context} beside={beside} chosen={entry.id === chosen} />
        </li>
      ))}
    </ul>
  );
}

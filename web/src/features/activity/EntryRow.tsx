import DownOutlined from '@ant-design/icons/DownOutlined';
import { Link } from '@tanstack/react-router';
import { memo, useId, useState } from 'react';
import { useClock } from '@/lib/format/clock';
import { EntryFacts } from './EntryFacts';
import css from './EntryRow.module.css';
import { entrySentence, personText, type textContext } from './entryText';
import type { Entry } from './queries';

interface EntryRowProps {
  entry: Entry;
  context: ReturnType<typeof textContext>;
  /** Whether the chosen entry stands beside the list; otherwise entries unfold in it. */
  beside: boolean;
  chosen: boolean;
}

/** One entry: when, who and what. It shows everything that is known of it, beside or below. */
export const EntryRow = memo(function EntryRow({ entry, context, beside, chosen }: EntryRowProps) {
  // The chosen entry stays open when the window becomes too narrow for it to stand beside the list.
  const [open, setOpen] = useState(chosen);
  const id = useId();
  const when = useClock((now) => context.format.moment(entry.time, now));
  const person = personText(entry, context);
  const [before, thing, after] = entrySentence(entry, context);
  const words = (
    <>
      <time
        className={css.time}
        dateTime={new Date(entry.time).toISOString()}
        title={context.format.absolute(entry.time)}
      >
        {when}
      </time>
      <span className={css.who} title={person}>
        {person}
      </span>
      <span className={css.what}>
        {before}
        <b>{thing}</b>
        {after}
      </span>
    </>
  );
  if (beside) {
    return (
      <Link
        from="/profile/activity"
        to="/profile/activity"
        search={(search) => ({ ...search, id: entry.id })}
        replace
        resetScroll={false}
        className={`${css.row} ${css.beside} ${chosen ? css.chosen : ''}`}
        activeProps={{}}
        aria-current={chosen ? 'true' : undefined}
        data-entry=""
      >
        {words}
      </Link>
    );
  }
  return (
    <>
      <button
        type="button"
        className={css.row}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        data-entry=""
      >
        {words}
        <DownOutlined className={`${css.chevron} ${open ? css.up : ''}`} aria-hidden="true" />
      </button>
      {open ? (
        <div id={id} className={css.details}>
          <EntryFacts entry={entry} context={context} />
        </div>
      ) : null}
    </>
  );
});

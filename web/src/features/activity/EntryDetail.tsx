import { useId } from 'react';
import css from './EntryDetail.module.css';
import { EntryFacts } from './EntryFacts';
import { entryTitle, personText, type textContext } from './entryText';
import type { Entry } from './queries';

interface EntryDetailProps {
  entry: Entry;
  context: ReturnType<typeof textContext>;
}

/** The chosen entry: who did what, and everything that is known of it. */
export function EntryDetail({ entry, context }: EntryDetailProps) {
  const heading = useId();
  return (
    <section className={css.card} aria-labelledby={heading}>
      <div>
        <h2 id={heading} className={css.title}>
          {entryTitle(entry, context)}
        </h2>
        <p className={css.who}>{personText(entry, context)}</p>
      </div>
      <EntryFacts entry={entry} context={context} />
    </section>
  );
}

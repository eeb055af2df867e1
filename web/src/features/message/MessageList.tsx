import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Message } from '@/lib/message/queries';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { entriesOf } from './groups';
import { MessageGroup } from './MessageGroup';
import css from './MessageList.module.css';
import { MessageRow } from './MessageRow';

interface MessageListProps {
  messages: readonly Message[];
  /** The next page is loading; the previous one is shown until then. */
  waiting: boolean;
  /** The message that the address names: it is opened and scrolled into view. */
  named: number | undefined;
  /** Whether a chosen message stands beside the list; otherwise messages unfold in it. */
  beside: boolean;
  chosen: number | undefined;
  onClosed: (id: number) => void;
  onRead: (ids: readonly number[]) => void;
  onFollowed: (id: number) => void;
}

const noneOpen: ReadonlySet<number> = new Set();

function toggledGroup(before: ReadonlySet<number>, ids: readonly number[], adds: boolean): ReadonlySet<number> {
  const after = new Set(before);
  for (const id of ids) {
    if (adds) after.add(id);
    else after.delete(id);
  }
  return after;
}

/** The messages of a page. Open ones stay open when new ones arrive. */
export function MessageList({
  messages,
  waiting,
  named,
  beside,
  chosen,
  onClosed,
  onRead,
  onFollowed,
}: MessageListProps) {
  const { t } = useTranslation();
  const place = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState(noneOpen);
  /** All messages of a folded group are recorded, so that the group stays folded when it grows. */
  const [folded, setFolded] = useState(noneOpen);
  const entries = useMemo(() => entriesOf(messages), [messages]);
  const isOpen = useCallback((id: number) => open.has(id), [open]);

  const toggle = useCallback(
    (id: number, opens: boolean) => {
      setOpen((before) => toggledGroup(before, [id], opens));
      if (!opens) onClosed(id);
    },
    [onClosed],
  );
  const fold = useCallback(
    (group: readonly Message[], opens: boolean) =>
      setFolded((before) =>
        toggledGroup(
          before,
          group.map(({ id }) => id),
          !opens,
        ),
      ),
    [],
  );

  // The named message opens once it has been fetched; afterwards the user opens and closes it.
  const listedId = named !== undefined && messages.some(({ id }) => id === named) ? named : undefined;
  useEffect(() => {
    if (listedId === undefined) return;
    setOpen((before) => toggledGroup(before, [listedId], true));
    setFolded(noneOpen);
  }, [listedId]);
  const shown = listedId !== undefined && open.has(listedId) && !folded.has(listedId);
  useEffect(() => {
    if (!shown) return;
    // Focusing also scrolls it into view.
    place.current?.querySelector<HTMLElement>(`[data-message="${listedId}"] [data-title]`)?.focus();
  }, [shown, listedId]);

  const actions = { onToggle: toggle, onRead, onFollowed };
  return (
    <ul
      ref={place}
      className={`${css.list} ${waiting ? css.waiting : ''}`}
      aria-label={t('message.all')}
      aria-busy={waiting}
    >
      {entries.map((entry) =>
        entry.kind === 'one' ? (
          <li key={entry.message.id}>
            <MessageRow
              message={entry.message}
              beside={beside}
              chosen={entry.message.id === chosen}
              open={open.has(entry.message.id)}
              {...actions}
            />
          </li>
        ) : (
          <li key={`group-${entry.messages.at(-1)?.id}`}>
            <MessageGroup
              messages={entry.messages}
              open={!entry.messages.some(({ id }) => folded.has(id))}
              onFold={fold}
              isOpen={isOpen}
              beside={beside}
              chosen={chosen}
              {...actions}
            />
          </li>
        ),
      )}
    </ul>
  );
}

export function ListSkeleton() {
  return (
    <Loading>
      <div className={css.list}>
        {['38%', '52%', '44%', '60%', '36%', '48%'].map((width) => (
          <div key={width} className={css.skeleton}>
            <Skeleton height={24} width={24} radius={12} />
            <div className={css.bars}>
              <Skeleton height={16} width={width} />
              <Skeleton height={14} width="72%" />
            </div>
          </div>
        ))}
      </div>
    </Loading>
  );
}

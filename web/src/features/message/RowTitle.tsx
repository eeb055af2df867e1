import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import type { Message } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';
import css from './MessageRow.module.css';

interface RowTitleProps {
  message: Message;
  /** Whether the chosen message stands beside the list. */
  beside: boolean;
  chosen: boolean;
  open: boolean;
  /** The element with the message's other lines. */
  body: string;
  ref: Ref<HTMLElement>;
  onToggle: () => void;
  onFollowed: () => void;
}

/**
 * A message's title. It chooses the message for the pane beside the list; without the pane it leads
 * to the alarm, and unfolds a message that has none.
 */
export function RowTitle({ message, beside, chosen, open, body, ref, onToggle, onFollowed }: RowTitleProps) {
  const { title } = splitMessage(message);
  if (beside) {
    return (
      <Link
        ref={ref as Ref<HTMLAnchorElement>}
        from="/message"
        to="/message"
        search={(before) => ({ ...before, id: message.id })}
        replace
        resetScroll={false}
        className={css.title}
        activeProps={{}}
        aria-current={chosen ? 'true' : undefined}
        data-title=""
      >
        {title}
      </Link>
    );
  }
  if (message.noticeId !== undefined) {
    return (
      <Link
        ref={ref as Ref<HTMLAnchorElement>}
        to="/inform"
        search={{ id: message.noticeId }}
        className={css.title}
        onClick={onFollowed}
        data-title=""
      >
        {title}
      </Link>
    );
  }
  return (
    <button
      ref={ref as Ref<HTMLButtonElement>}
      type="button"
      className={css.title}
      aria-expanded={open}
      aria-controls={body}
      onClick={onToggle}
      data-title=""
    >
      {title}
    </button>
  );
}

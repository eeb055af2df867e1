import CheckOutlined from '@ant-design/icons/CheckOutlined';
import type { RefObject } from 'react';
import { IconButton } from '@/ui/IconButton';
import css from './MessageRow.module.css';

interface MarkButtonProps {
  label: string;
  ids: readonly number[];
  onRead: (ids: readonly number[]) => void;
  /** The row's head: the button goes, and the keyboard stays with the message. */
  head: RefObject<HTMLButtonElement | null>;
}

/** Marks what a row holds as read; it need not be opened for that. */
export function MarkButton({ label, ids, onRead, head }: MarkButtonProps) {
  return (
    <IconButton
      className={css.mark}
      label={label}
      icon={<CheckOutlined aria-hidden="true" />}
      onClick={() => {
        head.current?.focus();
        onRead(ids);
      }}
    />
  );
}

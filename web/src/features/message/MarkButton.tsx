import CheckOutlined from '@ant-design/icons/CheckOutlined';
import type { RefObject } from 'react';
import { IconButton } from '@/ui/IconButton';
import css from './MessageRow.module.css';

interface MarkButtonProps {
  label: string;
  ids: readonly number[];
  onRead: (ids: readonly number[]) => void;
  /** The row's title, which takes the focus when the button disappears. */
  head: RefObject<HTMLElement | null>;
}

/** Marks the messages of a row as read without opening it. */
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

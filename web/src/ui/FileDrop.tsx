import { type DragEvent, type ReactNode, useState } from 'react';
import css from './FileDrop.module.css';

interface FileDropProps {
  icon: ReactNode;
  /** What to do here. */
  words: string;
  /** Which files may be chosen. */
  kinds: string;
  /** The types or endings of these files, as of an input. */
  accept: string;
  /** Beside other fields, not a dialog's only content. */
  low?: boolean;
  onFile: (file: File) => void;
  busy: boolean;
}

/** An area on which a file is chosen or dropped. */
export function FileDrop({ icon, words, kinds, accept, low = false, onFile, busy }: FileDropProps) {
  const [over, setOver] = useState(false);

  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };

  return (
    <label
      className={`${css.drop} ${low ? css.low : ''} ${over ? css.over : ''}`}
      aria-busy={busy}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <span className={css.icon} aria-hidden="true">
        {icon}
      </span>
      <span className={css.words}>{words}</span>
      <span className={css.kinds}>{kinds}</span>
      <input
        type="file"
        className="visually-hidden"
        accept={accept}
        disabled={busy}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // Cleared, so that the same file may be chosen again.
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
    </label>
  );
}

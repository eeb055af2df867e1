import { useRef } from 'react';
import css from './CopyBox.module.css';
import { CopyButton } from './CopyButton';

interface CopyBoxProps {
  label: string;
  text: string;
  /** The button's action, for screen readers. */
  copy: string;
  /** Its button is the dialog's main one. */
  main?: boolean;
  /** The text was copied, or selected for copying by hand. */
  onCopied?: () => void;
}

/** A text that a program or a person needs letter by letter, all of it visible, with a button that copies it. */
export function CopyBox({ label, text, copy, main = false, onCopied }: CopyBoxProps) {
  const of = useRef<HTMLElement>(null);
  return (
    <div className={css.part}>
      <div className={css.label}>{label}</div>
      <div className={css.row}>
        <div className={css.box}>
          <code ref={of} translate="no" onCopy={onCopied}>
            {text}
          </code>
        </div>
        <CopyButton
          textRef={of}
          label={copy}
          main={main}
          className={main ? css.copyMain : css.copy}
          onCopied={onCopied}
        />
      </div>
    </div>
  );
}

import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { Drawer } from 'antd';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { IconButton } from './IconButton';
import css from './Sheet.module.css';

interface SheetProps {
  title: string;
  /** Beside the title: the state and further actions. Never shrinks; the title does. */
  aside?: ReactNode;
  /** Beside the page, which stays usable; else over it. */
  beside: boolean;
  onClose: () => void;
  footer?: ReactNode;
  children: ReactNode;
}

/** A tall sheet with header and footer: beside a wide page, over a narrow one, full-screen on a phone. */
export function Sheet({ title, aside, beside, onClose, footer, children }: SheetProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const id = useId();
  // Read during rendering: the sheet takes the focus before any effect of its own could read it.
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  useEffect(
    () => () => {
      // If the user has moved on to another element, that keeps the focus.
      if (document.activeElement === document.body) opener?.focus({ preventScroll: true });
    },
    [opener],
  );
  const content = (
    <>
      <div className={css.head}>
        <h2 className={css.title} id={id} title={title}>
          {title}
        </h2>
        {aside ? <span className={css.aside}>{aside}</span> : null}
        <IconButton label={t('common.close')} icon={<CloseOutlined aria-hidden="true" />} onClick={onClose} />
      </div>
      <div className={css.body}>{children}</div>
      {footer ? <div className={css.foot}>{footer}</div> : null}
    </>
  );
  if (beside) {
    return (
      <Beside labelledBy={id} onClose={onClose}>
        {content}
      </Beside>
    );
  }
  return (
    <Drawer
      open
      onClose={onClose}
      size={isPhone ? '100vw' : 480}
      closable={false}
      mask={{ closable: true, enabled: true, blur: false }}
      aria-labelledby={id}
      classNames={{ body: css.drawer }}
    >
      {content}
    </Drawer>
  );
}

interface BesideProps {
  labelledBy: string;
  onClose: () => void;
  children: ReactNode;
}

function Beside({ labelledBy, onClose, children }: BesideProps) {
  const sheet = useRef<HTMLElement>(null);
  useEffect(() => {
    const own = sheet.current;
    // A form focuses its first field itself.
    if (!own?.contains(document.activeElement)) own?.focus({ preventScroll: true });
  }, []);
  return (
    <section
      ref={sheet}
      className={css.sheet}
      role="dialog"
      aria-labelledby={labelledBy}
      tabIndex={-1}
      onKeyDown={(event) => {
        // A dialog above it is its child in React, though not in the DOM: the dialog handles its
        // own Escape.
        const own = event.currentTarget.contains(event.target as Node);
        if (event.key === 'Escape' && own && !event.defaultPrevented) onClose();
      }}
    >
      {children}
    </section>
  );
}

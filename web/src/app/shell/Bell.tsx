import BellOutlined from '@ant-design/icons/BellOutlined';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDismiss } from '@/lib/hooks/useDismiss';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { unreadCountQuery } from '@/lib/http/queries';
import { withAntd } from '@/ui/antd/withAntd';
import { IconButton } from '@/ui/IconButton';
import { lazyComponent } from '@/ui/lazyComponent';
import css from './Bell.module.css';
import { BellAnnouncer } from './BellAnnouncer';

const BellPanel = lazyComponent(() => import('./BellPanel'), 'BellPanel');
const BellSheet = lazyComponent(() => withAntd(() => import('./BellSheet'), 'BellSheet'), 'BellSheet');

/**
 * The number of unread messages, and the newest messages: in a panel below the bell, on a phone in
 * a sheet.
 */
export function Bell() {
  const { t } = useTranslation();
  const unread = useQuery(unreadCountQuery()).data ?? 0;
  const isPhone = useMediaQuery(phoneQuery);
  const [open, setOpen] = useState(false);
  /** The sheet is fetched when it first opens, and then stays mounted so that its closing is animated. */
  const [sheet, setSheet] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setOpen(false), []);
  const panel = open && !isPhone;

  // The panel below the bell and the sheet are different components: close when the layout changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: isPhone triggers the closing
  useEffect(close, [isPhone]);

  const { toButton: toBell, onBlur } = useDismiss(place, panel, close);
  const keys = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!panel || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const items = [...(place.current?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0) toBell();
    else items[Math.min(to, items.length - 1)]?.focus();
  };
  const toggle = () => {
    setSheet(sheet || isPhone);
    setOpen(!open);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the controls within
    <div ref={place} className={css.place} onBlur={onBlur} onKeyDown={keys}>
      <IconButton
        className={open ? css.open : ''}
        label={unread > 0 ? t('shell.unread', { count: unread }) : t('shell.noUnread')}
        icon={<BellOutlined aria-hidden="true" />}
        count={unread}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={toggle}
      />
      <BellAnnouncer />
      {panel ? <BellPanel onClose={close} onAllRead={toBell} /> : null}
      {sheet && isPhone ? <BellSheet open={open} onClose={close} /> : null}
    </div>
  );
}

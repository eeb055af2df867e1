import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useReachability } from '@/lib/offline/reachability';
import { Empty } from '@/ui/Empty';
import { PlainButton } from '@/ui/PlainButton';
import css from './BrokenPage.module.css';
import { reload } from './reload';

/** Replaces a page that could not be loaded or rendered; the frame around it stays. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const reach = useReachability((state) => state.reach);
  // A slow answer is no reason to wait for another connection.
  const offline = reach === 'offline' || reach === 'silent';
  // A page that failed for lack of a connection is loaded once there is one, as the text says; the
  // router keeps the failure until then.
  const [waits, setWaits] = useState(offline);
  if (offline && !waits) setWaits(true);
  useEffect(() => {
    if (waits && reach === 'online') reload();
  }, [waits, reach]);
  return (
    <div className={css.page} role="alert">
      <Empty
        level={1}
        kind="search"
        title={t(waits ? 'offline.pageTitle' : 'error.pageTitle')}
        text={t(waits ? 'offline.pageText' : 'error.pageText')}
        action={
          <PlainButton onClick={reload}>
            <ReloadOutlined aria-hidden="true" />
            {t('error.reload')}
          </PlainButton>
        }
      />
      {waits ? null : <p className={css.detail}>{error instanceof Error ? error.message : String(error)}</p>}
    </div>
  );
}

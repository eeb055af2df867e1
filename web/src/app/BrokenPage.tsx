import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useReach } from '@/lib/offline/reach';
import { Empty } from '@/ui/Empty';
import { PlainButton } from '@/ui/PlainButton';
import css from './BrokenPage.module.css';

/** In place of a page that could not be loaded or drawn; the frame around it stays. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const offline = useReach(({ reach }) => reach !== 'online');
  return (
    <div className={css.page} role="alert">
      <Empty
        level={1}
        kind="search"
        title={t(offline ? 'offline.pageTitle' : 'error.pageTitle')}
        text={t(offline ? 'offline.pageText' : 'error.pageText')}
        action={
          <PlainButton onClick={() => window.location.reload()}>
            <ReloadOutlined aria-hidden="true" />
            {t('error.reload')}
          </PlainButton>
        }
      />
      <p className={css.detail}>{error instanceof Error ? error.message : String(error)}</p>
    </div>
  );
}

import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui/Empty';
import { PlainButton } from '@/ui/PlainButton';
import css from './BrokenPage.module.css';

/** In place of a page that could not be loaded or drawn; the frame around it stays. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <div className={css.page} role="alert">
      <Empty
        level={1}
        kind="search"
        title={t('error.pageTitle')}
        text={t('error.pageText')}
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

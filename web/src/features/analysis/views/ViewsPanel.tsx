import CheckOutlined from '@ant-design/icons/CheckOutlined';
import DeleteOutlined from '@ant-design/icons/DeleteOutlined';
import EditOutlined from '@ant-design/icons/EditOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { ErrorNote } from '@/ui/ErrorNote';
import { IconButton } from '@/ui/IconButton';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { type View, viewsQuery } from './queries';
import css from './ViewsMenu.module.css';

interface ViewsPanelProps {
  query: string;
  onOpen: (view: View) => void;
  onSave: () => void;
  onRename: (view: View) => void;
  onDelete: (view: View) => void;
}

/** The saved views, below the button that opens them; on a phone at the bottom of the screen. */
export function ViewsPanel({ query, onSave, ...actions }: ViewsPanelProps) {
  const { t } = useTranslation();
  const panel = useRef<HTMLDivElement>(null);
  const views = useQuery(viewsQuery());
  const [fromRight, setFromRight] = useState(false);
  // A button near the right edge has no room for a panel that begins at its left one.
  useLayoutEffect(() => {
    const { right } = panel.current?.getBoundingClientRect() ?? { right: 0 };
    setFromRight(right > document.documentElement.clientWidth - 8);
  }, []);
  return (
    <div
      ref={panel}
      className={`${css.panel} ${fromRight ? css.fromRight : ''}`}
      role="dialog"
      aria-label={t('analysis.views.saved')}
    >
      <div className={css.content}>
        {views.isError ? (
          <ErrorNote
            title={t('analysis.views.failed')}
            text={errorText(views.error)}
            onRetry={() => void views.refetch()}
            busy={views.isFetching}
          />
        ) : null}
        {views.data ? (
          <ViewList views={views.data} query={query} {...actions} />
        ) : views.isError ? null : (
          <Loading>
            <div className={css.bars}>
              <Skeleton height={20} width="70%" />
              <Skeleton height={20} width="54%" />
            </div>
          </Loading>
        )}
      </div>
      <div className={css.foot}>
        <Button block icon={<PlusOutlined aria-hidden="true" />} disabled={query === ''} onClick={onSave}>
          {t('analysis.views.saveThis')}
        </Button>
      </div>
    </div>
  );
}

interface ViewListProps extends Omit<ViewsPanelProps, 'onSave'> {
  views: readonly View[];
}

function ViewList({ views, query, onOpen, onRename, onDelete }: ViewListProps) {
  const { t } = useTranslation();
  if (views.length === 0) {
    return (
      <div className={css.none}>
        <p className={css.noneTitle}>{t('analysis.views.none')}</p>
        <p>{t('analysis.views.noneText')}</p>
      </div>
    );
  }
  return (
    <ul aria-label={t('analysis.views.saved')}>
      {views.map((view) => (
        <li key={view.id} className={css.row}>
          <button
            type="button"
            className={css.open}
            aria-current={view.query === query ? 'true' : undefined}
            onClick={() => onOpen(view)}
          >
            <span className={css.mark}>{view.query === query ? <CheckOutlined aria-hidden="true" /> : null}</span>
            <span className={css.name}>{view.name}</span>
          </button>
          <IconButton
            label={t('analysis.views.renameTitle', { name: view.name })}
            icon={<EditOutlined aria-hidden="true" />}
            onClick={() => onRename(view)}
          />
          <IconButton
            label={t('analysis.views.deleteOf', { name: view.name })}
            icon={<DeleteOutlined aria-hidden="true" />}
            onClick={() => onDelete(view)}
          />
        </li>
      ))}
    </ul>
  );
}

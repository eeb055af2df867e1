import DownOutlined from '@ant-design/icons/DownOutlined';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { useDismiss } from '@/lib/hooks/useDismiss';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { deleteView, type View, viewsKey } from './queries';
import { ViewDialog } from './ViewDialog';
import css from './ViewsMenu.module.css';
import { ViewsPanel } from './ViewsPanel';

interface ViewsMenuProps {
  /** The page's query string, without the question mark; empty if nothing is chosen yet. */
  query: string;
  onOpen: (query: string) => void;
}

/** The user's saved views of the page: opens, saves, renames and deletes them. */
export function ViewsMenu({ query, onOpen }: ViewsMenuProps) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const { toButton, onBlur } = useDismiss(place, open, close);
  const [named, setNamed] = useState<View | 'new' | null>(null);
  const [deleted, setDeleted] = useState<View | null>(null);
  const remove = useDeletion(() => setDeleted(null));

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the focus leaves the controls within
    <div ref={place} className={css.place} onBlur={onBlur}>
      <Button aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t('analysis.views.views')}
        <DownOutlined aria-hidden="true" />
      </Button>
      {open ? (
        <ViewsPanel
          query={query}
          onOpen={(view) => {
            close();
            toButton();
            onOpen(view.query);
          }}
          onSave={() => {
            close();
            setNamed('new');
          }}
          onRename={(view) => {
            close();
            setNamed(view);
          }}
          onDelete={(view) => {
            close();
            setDeleted(view);
          }}
        />
      ) : null}
      {/* What opened a dialog is gone with the panel: the focus returns to the panel's button. */}
      <ViewDialog named={named} query={query} onClose={() => setNamed(null)} onClosed={toButton} />
      <ConfirmDialog
        target={deleted}
        textFor={({ name }) => ({
          question: t('common.deleteConfirm', { name }),
          consequence: t('analysis.views.deleteText'),
          verb: t('analysis.views.delete'),
          danger: true,
        })}
        mutation={remove}
        onClose={() => setDeleted(null)}
        onClosed={toButton}
      />
    </div>
  );
}

function useDeletion(onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: View) => deleteView(id),
    meta: { failure: 'common.deleteFail' },
    onSuccess: () => {
      toast.success(t('analysis.views.deleted'));
      onDone();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: viewsKey }),
  });
}

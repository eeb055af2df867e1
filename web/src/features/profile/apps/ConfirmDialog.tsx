import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/api';
import { errorText } from '@/lib/errorText';
import { Dialog } from '@/ui/Dialog';
import { Note } from '@/ui/Note';
import css from './ConfirmDialog.module.css';
import { type Credential, credentialKey } from './queries';

/** What is to be done to which key, once confirmed. */
export interface Asked {
  what: 'toggle' | 'delete';
  credential: Credential;
}

interface ConfirmDialogProps {
  asked: Asked | null;
  onClose: () => void;
  /** After it has gone from the screen. */
  onGone: () => void;
}

/** The question, its consequence, Cancel first, then the verb with its object. What fails is said here. */
export function ConfirmDialog({ asked, onClose, onGone }: ConfirmDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  // Its words stay while it closes.
  const [shown, setShown] = useState(asked);
  if (asked && asked !== shown) setShown(asked);

  const act = useMutation({
    mutationFn: ({ what, credential: { id } }: Asked) =>
      what === 'delete'
        ? api.get('/admin-api/client/pc/apicredentials/delete', { query: { id } })
        : api.get('/admin-api/client/pc/apicredentials/enable-or-disable', { query: { id } }),
    meta: { showsErrors: true },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: credentialKey });
      onClose();
    },
  });
  if (!shown) return null;

  const { what, credential } = shown;
  const name = credential.name;
  const words =
    what === 'delete'
      ? {
          question: t('common.deleteConfirm', { name }),
          consequence: t('app.deleteText'),
          verb: t('app.deleteKey'),
          fail: t('common.deleteFail'),
        }
      : {
          question: t('common.toggleConfirm', { name }),
          consequence: t(credential.enabled === 1 ? 'app.closeText' : 'app.openText'),
          verb: t(credential.enabled === 1 ? 'app.closeKey' : 'app.openKey'),
          fail: t('common.saveFail'),
        };

  return (
    <Dialog
      open={asked !== null}
      title={words.question}
      onClose={onClose}
      onClosed={() => {
        act.reset();
        onGone();
      }}
      width={440}
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            {t('common.cancel')}
          </Button>
          <Button
            type={what === 'delete' ? 'default' : 'primary'}
            danger={what === 'delete'}
            loading={act.isPending}
            onClick={() => act.mutate(shown)}
          >
            {words.verb}
          </Button>
        </>
      }
    >
      {act.isError ? (
        <div className={css.error}>
          <Note tone="wrong" title={words.fail}>
            {errorText(act.error)}
          </Note>
        </div>
      ) : null}
      <p className={css.consequence}>{words.consequence}</p>
    </Dialog>
  );
}

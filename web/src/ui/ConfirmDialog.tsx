import type { UseMutationResult } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import css from './ConfirmDialog.module.css';
import { Dialog } from './Dialog';
import { Note } from './Note';

/** The texts of a confirmation. */
export interface Confirmation {
  question: string;
  consequence: string;
  /** The button's text. */
  verb: string;
  /** It cannot be undone. */
  danger: boolean;
}

interface ConfirmDialogProps<Asked> {
  /** The pending action and its object; null when there is none any more. */
  target: Asked | null;
  textFor: (target: Asked) => Confirmation;
  mutation: UseMutationResult<unknown, Error, Asked>;
  /** The server's refusal, which the app then does not report. */
  refusal?: string;
  onClose: () => void;
  /** Called after the closing animation. */
  onClosed: () => void;
}

/**
 * The question, its consequence, Cancel first, then the verb. A refusal stands below the
 * consequence; the app reports other errors.
 */
export function ConfirmDialog<Asked>({
  target,
  textFor,
  mutation,
  refusal,
  onClose,
  onClosed,
}: ConfirmDialogProps<Asked>) {
  const { t } = useTranslation();
  // Keeps the texts while it closes.
  const [shown, setShown] = useState(target);
  if (target !== null && target !== shown) setShown(target);
  if (shown === null) return null;
  const words = textFor(shown);
  return (
    <Dialog
      open={target !== null}
      title={words.question}
      onClose={onClose}
      onClosed={onClosed}
      width={440}
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            {t('common.cancel')}
          </Button>
          <Button
            type={words.danger ? 'default' : 'primary'}
            danger={words.danger}
            loading={mutation.isPending}
            onClick={() => mutation.mutate(shown)}
          >
            {words.verb}
          </Button>
        </>
      }
    >
      <p className={css.consequence}>{words.consequence}</p>
      {refusal ? (
        <div className={css.refusal}>
          <Note tone="wrong">{refusal}</Note>
        </div>
      ) : null}
    </Dialog>
  );
}

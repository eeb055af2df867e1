import type { UseMutationResult } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import css from './ConfirmDialog.module.css';
import { Dialog } from './Dialog';

/** What is asked, in words. */
export interface Confirmation {
  question: string;
  consequence: string;
  /** What the button says. */
  verb: string;
  /** It cannot be undone. */
  danger: boolean;
}

interface ConfirmDialogProps<Asked> {
  /** What is to be done to what, once confirmed; null: nothing, or not any more. */
  asked: Asked | null;
  wordsOf: (asked: Asked) => Confirmation;
  act: UseMutationResult<unknown, Error, Asked>;
  onClose: () => void;
  /** After it has gone from the screen. */
  onGone: () => void;
}

/** The question, its consequence, Cancel first, then the verb. What fails is told above it. */
export function ConfirmDialog<Asked>({ asked, wordsOf, act, onClose, onGone }: ConfirmDialogProps<Asked>) {
  const { t } = useTranslation();
  // Its words stay while it closes.
  const [shown, setShown] = useState(asked);
  if (asked !== null && asked !== shown) setShown(asked);
  if (shown === null) return null;
  const words = wordsOf(shown);
  return (
    <Dialog
      open={asked !== null}
      title={words.question}
      onClose={onClose}
      onClosed={onGone}
      width={440}
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            {t('common.cancel')}
          </Button>
          <Button
            type={words.danger ? 'default' : 'primary'}
            danger={words.danger}
            loading={act.isPending}
            onClick={() => act.mutate(shown)}
          >
            {words.verb}
          </Button>
        </>
      }
    >
      <p className={css.consequence}>{words.consequence}</p>
    </Dialog>
  );
}

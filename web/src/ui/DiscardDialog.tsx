import { useBlocker } from '@tanstack/react-router';
import { Button } from 'antd';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './Dialog';

/** Where a way leads. */
export interface Destination {
  pathname: string;
  search: object;
}

interface DiscardDialogProps {
  /** There is something to lose. */
  when: boolean;
  /** It was saved: nothing is lost any more, where that must be known before anything is drawn again. */
  saved?: RefObject<boolean>;
  /** Whether a way leads to the form itself, which loses nothing. */
  isSameForm: (next: Destination) => boolean;
}

/** Asks before a way leads off a form with changes that were not saved: the cross, the menu, the browser's back button. */
export function DiscardDialog({ when, saved, isSameForm }: DiscardDialogProps) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    // To the sign-in page leads only the end of the session.
    shouldBlockFn: ({ next }) => !saved?.current && next.pathname !== '/signin' && !isSameForm(next),
    enableBeforeUnload: () => when && !saved?.current,
    disabled: !when,
    withResolver: true,
  });
  return (
    <Dialog
      open={blocker.status === 'blocked'}
      title={t('common.discardTitle')}
      onClose={() => blocker.reset?.()}
      width={440}
      footer={
        <>
          <Button onClick={() => blocker.reset?.()} autoFocus>
            {t('common.keepEditing')}
          </Button>
          <Button danger onClick={() => blocker.proceed?.()}>
            {t('common.discardChanges')}
          </Button>
        </>
      }
    >
      <p>{t('common.discardText')}</p>
    </Dialog>
  );
}

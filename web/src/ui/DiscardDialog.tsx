import { useBlocker } from '@tanstack/react-router';
import { Button } from 'antd';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './Dialog';

/** The destination of a navigation. */
export interface Destination {
  pathname: string;
  search: object;
}

interface DiscardDialogProps {
  /** There are unsaved changes. */
  when: boolean;
  /** Set once the form is saved, so that leaving is allowed even before the next render. */
  saved?: RefObject<boolean>;
  /** Whether a navigation leads to the same form, which loses nothing. */
  isSameForm: (next: Destination) => boolean;
}

/**
 * Asks before a navigation leaves a form with unsaved changes: the cross, the menu, the browser's
 * back button.
 */
export function DiscardDialog({ when, saved, isSameForm }: DiscardDialogProps) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    // Only the end of the session leads to the sign-in page.
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

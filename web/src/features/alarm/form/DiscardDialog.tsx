import { useBlocker } from '@tanstack/react-router';
import { Button } from 'antd';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui/Dialog';
import type { AlarmSearch } from '../search';

interface DiscardDialogProps {
  /** There is something to lose. */
  when: boolean;
  /** It was saved: nothing is lost any more. */
  saved: RefObject<boolean>;
  /** Whose form it is. */
  rule: AlarmSearch['rule'];
}

/** Asks before a way leads off the form with changes that were not saved: the cross, the menu, the browser's back button. */
export function DiscardDialog({ when, saved, rule }: DiscardDialogProps) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => {
      // To the sign-in page leads only the end of the session.
      if (saved.current || next.pathname === '/signin') return false;
      return next.pathname !== '/alarm' || (next.search as AlarmSearch).rule !== rule;
    },
    enableBeforeUnload: () => when && !saved.current,
    disabled: !when,
    withResolver: true,
  });
  return (
    <Dialog
      open={blocker.status === 'blocked'}
      title={t('device.form.discardTitle')}
      onClose={() => blocker.reset?.()}
      width={440}
      footer={
        <>
          <Button onClick={() => blocker.reset?.()} autoFocus>
            {t('device.form.keep')}
          </Button>
          <Button danger onClick={() => blocker.proceed?.()}>
            {t('device.form.discard')}
          </Button>
        </>
      }
    >
      <p>{t('device.form.discardText')}</p>
    </Dialog>
  );
}

import { useBlocker } from '@tanstack/react-router';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui/Dialog';

interface DiscardDialogProps {
  /** There is something to lose. */
  when: boolean;
  deviceName: string;
}

/** Asks before a way leads off the form with changes that were not saved: another row, the menu, the browser's back button. */
export function DiscardDialog({ when, deviceName }: DiscardDialogProps) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => {
      // To the sign-in page leads only the end of the session.
      if (next.pathname === '/signin') return false;
      const { device, edit } = next.search as { device?: string; edit?: true };
      const stays = next.pathname === '/device' && edit === true && device === deviceName;
      return !stays;
    },
    enableBeforeUnload: () => when,
    disabled: !when,
    withResolver: true,
  });
  const asked = blocker.status === 'blocked';
  return (
    <Dialog
      open={asked}
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

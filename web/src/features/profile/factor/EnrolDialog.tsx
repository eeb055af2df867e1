import { useMutation } from '@tanstack/react-query';
import { Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrorText } from '@/lib/http/errorText';
import { Dialog } from '@/ui/Dialog';
import { EnrolForm } from '@/ui/factor/EnrolForm';
import { SendButton } from '@/ui/form/SendButton';
import { confirmFactor, type Enrolment } from './calls';

interface EnrolDialogProps {
  /** Null closes the dialog. */
  enrolment: Enrolment | null;
  onClose: () => void;
  /** It is on; these are the recovery codes. */
  onConfirmed: (codes: string[]) => void;
  /** Called after the closing animation. */
  onClosed: () => void;
}

/** Sets the key up in an app, and turns it on with a first code. */
export function EnrolDialog({ enrolment, onClose, onConfirmed, onClosed }: EnrolDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  // Stays while the dialog closes.
  const [shown, setShown] = useState(enrolment);
  if (enrolment !== null && enrolment !== shown) setShown(enrolment);
  const confirm = useMutation({
    mutationFn: confirmFactor,
    gcTime: 0,
    meta: { shows: [601], failure: 'factor.fail' },
    onSuccess: onConfirmed,
  });
  return (
    <Dialog
      open={enrolment !== null}
      title={t('factor.setUp')}
      onClose={onClose}
      firm
      width={440}
      onClosed={() => {
        setShown(null);
        confirm.reset();
        onClosed();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={confirm.isPending}>
            {t('factor.confirm')}
          </SendButton>
        </>
      }
    >
      {shown ? (
        <EnrolForm
          id={id}
          enrolment={shown}
          busy={confirm.isPending}
          refusal={formErrorText(confirm.error)}
          onCode={(code) => confirm.mutate(code)}
          onChange={() => {
            if (confirm.isError) confirm.reset();
          }}
        />
      ) : null}
    </Dialog>
  );
}

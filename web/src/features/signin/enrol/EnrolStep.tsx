import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clearToasts } from '@/lib/feedback/feedback';
import { asksForStep, errorText, formErrorText } from '@/lib/http/errorText';
import { confirmEnrolment, type EnrolledSession } from '@/lib/session/secondFactor';
import { ErrorNote } from '@/ui/ErrorNote';
import { EnrolForm } from '@/ui/factor/EnrolForm';
import { RecoveryCodesDialog } from '@/ui/factor/RecoveryCodesDialog';
import { SendButton } from '@/ui/form/SendButton';
import { ticketOver } from '../secondStep';
import css from './EnrolStep.module.css';
import { enrolmentQuery } from './query';

interface EnrolStepProps {
  ticket: string;
  onDone: () => void;
  /** The ticket is over: back to the password, with why. */
  onOver: (why: string) => void;
  onBack: () => void;
}

/** After the password, where a second factor is required: sets it up, and signs in once the recovery codes are stored. */
export function EnrolStep({ ticket, onDone, onOver, onBack }: EnrolStepProps) {
  const { t } = useTranslation();
  const begun = useQuery(enrolmentQuery(ticket));
  const [entered, setEntered] = useState<EnrolledSession | null>(null);
  const [stored, setStored] = useState(false);
  const confirm = useMutation({
    mutationFn: (code: string) => confirmEnrolment({ ticket, code }),
    gcTime: 0,
    meta: { shows: [601], failure: 'signin.fail', tone: 'warning' },
    onMutate: clearToasts,
    onSuccess: setEntered,
    onError: (error) => {
      const refusal = formErrorText(error);
      if (refusal !== undefined && asksForStep(error, ticketOver)) onOver(refusal);
    },
  });
  const back = <Button onClick={onBack}>{t('signin.code.back')}</Button>;

  return (
    <>
      <p className={css.what}>{t('factor.signin')}</p>
      {begun.isError ? (
        <>
          <ErrorNote
            title={t('factor.fail')}
            text={errorText(begun.error)}
            onRetry={() => begun.refetch()}
            busy={begun.isFetching}
          />
          <div className={css.back}>{back}</div>
        </>
      ) : null}
      {begun.data ? (
        <EnrolForm
          enrolment={begun.data}
          busy={confirm.isPending}
          refusal={formErrorText(confirm.error)}
          onCode={(code) => confirm.mutate(code)}
          onChange={() => {
            if (confirm.isError) confirm.reset();
          }}
        >
          <div className={css.buttons}>
            {back}
            <SendButton loading={confirm.isPending}>{t('factor.confirm')}</SendButton>
          </div>
        </EnrolForm>
      ) : null}
      <RecoveryCodesDialog
        codes={stored ? null : (entered?.recoveryCodes ?? null)}
        onStored={() => setStored(true)}
        onClosed={() => {
          onDone();
          entered?.begin();
        }}
      />
    </>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { type ComponentRef, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { toast } from '@/lib/feedback/feedback';
import { userQuery } from '@/lib/http/queries';
import { FactorMark } from '@/ui/factor/FactorMark';
import { RecoveryCodesDialog } from '@/ui/factor/RecoveryCodesDialog';
import { Note } from '@/ui/Note';
import type { Enrolment, FactorAction, Outcome } from './calls';
import { EnrolDialog } from './EnrolDialog';
import { ProofDialog } from './ProofDialog';
import css from './SecondFactor.module.css';

/** The user's second factor: whether it is on, and what can be done with it. */
export function SecondFactor({ user }: { user: components['schemas']['User'] }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [action, setAction] = useState<FactorAction | null>(null);
  const [next, setNext] = useState<Outcome>({});
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const first = useRef<ComponentRef<typeof Button>>(null);
  const { secondFactor: isOn, secondFactorRequired: isRequired } = user;

  const refresh = () => void client.invalidateQueries({ queryKey: userQuery().queryKey });
  const done = (of: FactorAction, outcome: Outcome) => {
    setNext(outcome);
    setAction(null);
    if (of !== 'turnOff') return;
    toast.success(t('factor.isOff'));
    refresh();
  };
  /** The button that began it may have disappeared. */
  const restoreFocus = () => {
    if (document.activeElement === document.body) first.current?.focus();
  };
  /** The next dialog opens when the one before is gone, which returns the focus as it goes. */
  const goOn = () => {
    setNext({});
    if (next.enrolment) setEnrolment(next.enrolment);
    else if (next.codes) setCodes(next.codes);
    else restoreFocus();
  };
  return (
    <section className={css.card} aria-labelledby="second-factor">
      <div className={css.head}>
        <h2 className={css.title} id="second-factor">
          {t('factor.name')}
        </h2>
        <FactorMark on={isOn} />
      </div>
      <p className={css.what}>{t('factor.what')}</p>
      {isRequired ? (
        <div className={css.note}>
          <Note tone={isOn ? 'info' : 'warn'}>{t(isOn ? 'factor.requiredOn' : 'factor.requiredOff')}</Note>
        </div>
      ) : null}
      <div className={css.actions}>
        {isOn ? (
          <>
            <Button ref={first} onClick={() => setAction('newCodes')}>
              {t('factor.title.newCodes')}
            </Button>
            <Button onClick={() => setAction('move')}>{t('factor.title.move')}</Button>
            {isRequired ? null : (
              <Button danger onClick={() => setAction('turnOff')}>
                {t('factor.verb.turnOff')}
              </Button>
            )}
          </>
        ) : (
          <Button ref={first} type="primary" onClick={() => setAction('turnOn')}>
            {t('factor.confirm')}
          </Button>
        )}
      </div>
      <ProofDialog
        action={action}
        userName={user.userName}
        onClose={() => setAction(null)}
        onDone={done}
        onClosed={goOn}
      />
      <EnrolDialog
        enrolment={enrolment}
        onClose={() => setEnrolment(null)}
        onConfirmed={(fresh) => {
          setNext({ codes: fresh });
          setEnrolment(null);
          refresh();
        }}
        onClosed={goOn}
      />
      <RecoveryCodesDialog codes={codes} onStored={() => setCodes(null)} onClosed={restoreFocus} />
    </section>
  );
}

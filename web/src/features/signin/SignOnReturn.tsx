import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { loadTexts } from '@/lib/i18n/i18n';
import { finishSignOn, takeBegun } from '@/lib/session/signOn';
import type { SignOnAnswer } from './signOnAnswer';

/** How a sign-in at the farm's own sign-in ended. */
export interface SignOnOutcome {
  /** Why the user is not signed in, in words. */
  failure?: string;
  /** Where the user wanted to go, as this tab remembers it. */
  from?: string;
}

interface SignOnReturnProps {
  answer: SignOnAnswer;
  onDone: (outcome: SignOnOutcome) => void;
}

/** Takes what the farm's own sign-in brought back, once. */
export function SignOnReturn({ answer, onDone }: SignOnReturnProps) {
  const { t } = useTranslation();
  const taken = useRef(false);
  useEffect(() => {
    if (taken.current) return;
    taken.current = true;
    const begun = takeBegun();
    const from = begun?.from;
    if ('failure' in answer || begun === null) {
      const failure = 'failure' in answer ? answer.failure : 'expired';
      // These texts are no part of the sign-in page's, which few see them on.
      loadTexts('rest').then(
        () => onDone({ failure: t(`signOn.${failure}`), from }),
        (error: unknown) => onDone({ failure: errorText(error), from }),
      );
      return;
    }
    finishSignOn(answer.ticket, begun.secret).then(
      () => onDone({ from }),
      (error: unknown) => onDone({ failure: errorText(error), from }),
    );
  }, [answer, onDone, t]);
  return <p role="status">{t('signin.busy')}</p>;
}

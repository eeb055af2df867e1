import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { finishSignOn, takeBegun } from '@/lib/session/signOn';
import type { SignOnAnswer } from './signOnAnswer';

export interface SignOnState {
  /** The answer is being taken: a session may be on its way. */
  busy: boolean;
  /** Why the user is not signed in, in words. */
  failure?: string;
  /** Where the user wanted to go, as this tab remembers it. */
  from?: string;
}

/** Takes what the farm's own sign-in brought back, once. */
export function useSignOnAnswer(answer: SignOnAnswer | null): SignOnState {
  const { t } = useTranslation();
  const ticket = answer && 'ticket' in answer ? answer.ticket : null;
  const failure = answer && 'failure' in answer ? answer.failure : null;
  const [state, setState] = useState<SignOnState>({ busy: answer !== null });
  const taken = useRef(false);
  useEffect(() => {
    if (answer === null || taken.current) return;
    taken.current = true;
    const begun = takeBegun();
    const from = begun?.from;
    if (ticket === null || begun === null) {
      setState({ busy: false, failure: t(`signin.oidc.${failure ?? 'expired'}`), from });
      return;
    }
    finishSignOn(ticket, begun.secret).then(
      () => setState({ busy: false, from }),
      (error: unknown) => setState({ busy: false, failure: errorText(error), from }),
    );
  }, [answer, ticket, failure, t]);
  return state;
}

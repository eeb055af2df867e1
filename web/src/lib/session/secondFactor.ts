import type { components } from '@/api/schema.gen';
import { requestHeaders } from '../http/headers';
import { send } from '../http/http';
import { startSession, storeAnswer } from './session';

/** Finishes a sign-in with a code; rejects with the server's refusal. */
export const signInWithCode = (request: components['schemas']['LoginCode']) =>
  startSession('/app-api/member/auth/login-code', request);

/** A session that waits until the recovery codes are stored. */
export interface EnrolledSession {
  recoveryCodes: string[];
  begin: () => void;
}

/** Turns on the second factor that the tenant requires, and finishes the sign-in; rejects with the server's refusal. */
export async function confirmEnrolment(request: components['schemas']['LoginCode']): Promise<EnrolledSession> {
  const path = '/app-api/member/auth/login-totp-confirm';
  const { data, serverTime } = await send({ method: 'POST', path, body: request, headers: requestHeaders() });
  const received = Date.now();
  const answer = data as components['schemas']['EnrolledSession'];
  return {
    recoveryCodes: answer.recoveryCodes,
    begin: () => storeAnswer(answer, (serverTime ?? received) + Date.now() - received),
  };
}

import type { components } from '@/api/schema.gen';
import { requestHeaders } from '../http/headers';
import { send } from '../http/http';
import { startSession, storeAnswer } from './session';

/** Signs in; rejects with the server's refusal. */
export const signIn = (request: components['schemas']['LoginRequest']) =>
  startSession('/app-api/member/auth/login-username', request);

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

/**
 * Makes the account of an invitation and signs in with it, in place of a session that is here.
 * Rejects with the server's refusal.
 */
export const acceptInvitation = (request: components['schemas']['InvitationAcceptance']) =>
  startSession('/app-api/member/auth/invitation/accept', request);

/**
 * Exchanges the ticket of the farm's own sign-in, in place of a session that is here. Rejects with
 * the server's refusal.
 */
export const openSignOnSession = (request: components['schemas']['OidcTicket']) =>
  startSession('/app-api/member/auth/oidc-session', request, true);

import type { components } from '@/api/schema.gen';
import { startSession } from './session';

/** Signs in; rejects with the server's refusal. */
export const signIn = (request: components['schemas']['LoginRequest']) =>
  startSession('/app-api/member/auth/login-username', request);

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

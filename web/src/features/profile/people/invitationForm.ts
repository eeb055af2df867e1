import type { TFunction } from 'i18next';
import { createErrorText } from '@/lib/http/createErrorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';
import { ApiError } from '@/lib/http/http';
import type { Role } from '@/lib/session/useMay';
import { isEmail } from '@/lib/text/emailAddress';
import type { Errors } from '@/ui/form/useForm';
import type { InvitationForm } from './queries';

export interface InvitationValues {
  way: 'mail' | 'link';
  email: string;
  role: Role;
  nickname: string;
  language: string;
}

/** What the form proposes: the link where the server cannot send mail. */
export const emptyInvitation = (mail: boolean): InvitationValues => ({
  way: mail ? 'mail' : 'link',
  email: '',
  role: 'viewer',
  nickname: '',
  language: '',
});

export type InvitationError = 'profile.emailRequired' | 'profile.emailFormat';

/** An address is needed only where the link goes by mail. */
export function checkInvitation({ way, email }: InvitationValues): Errors<InvitationValues, InvitationError> {
  const typed = email.trim();
  if (typed === '') return way === 'mail' ? { email: 'profile.emailRequired' } : {};
  return isEmail(typed) ? {} : { email: 'profile.emailFormat' };
}

export function requestOf({ way, email, role, nickname, language }: InvitationValues): InvitationForm {
  return {
    role,
    sendMail: way === 'mail',
    email: email.trim() || undefined,
    nickname: nickname.trim() || undefined,
    language: language || undefined,
  };
}

/** The refusal says that this server sends no mail. */
export const isMailOff = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.kind === 'business' && error.code === -699;

export const invitationRefusal = (error: unknown, t: TFunction) =>
  fieldRefusal(createErrorText(error), {
    email: t('profile.email'),
    role: t('role.title'),
    nickname: t('profile.nickname'),
  });

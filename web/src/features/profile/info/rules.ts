import { isEmail } from '@/lib/text/emailAddress';
import { isBoundNumber } from '@/lib/text/phoneNumber';
import { isVisibleName } from '@/lib/text/visibleName';
import type { Errors } from '@/ui/form/useForm';

export interface Info {
  nickname: string;
  email: string;
  /** The bound number, which this form only shows. */
  mobile: string;
}

export type InfoError =
  | 'profile.nicknameRequired'
  | 'profile.emailRequired'
  | 'profile.emailFormat'
  | 'profile.mobileFormat'
  | 'phone.required';

/** `bindable`: codes can be sent, so a user without a number can bind one. */
export function checkInfo({ nickname, email, mobile }: Info, bindable: boolean): Errors<Info, InfoError> {
  const errors: Errors<Info, InfoError> = {};
  if (!isVisibleName(nickname)) errors.nickname = 'profile.nicknameRequired';
  if (mobile === '') {
    // Required, but where no number can be bound, the other fields must still be editable.
    if (bindable) errors.mobile = 'phone.required';
  } else if (!isBoundNumber(mobile)) errors.mobile = 'profile.mobileFormat';
  if (email.trim() === '') errors.email = 'profile.emailRequired';
  else if (!isEmail(email.trim())) errors.email = 'profile.emailFormat';
  return errors;
}

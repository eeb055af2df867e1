import { isInternational, normalizeNumber } from '@/lib/text/phoneNumber';
import type { Errors } from '@/ui/form/useForm';

export interface PhoneForm {
  mobile: string;
  code: string;
}

export type PhoneError = 'phone.required' | 'phone.format' | 'phone.codeRequired';

export function checkPhone({ mobile, code }: PhoneForm): Errors<PhoneForm, PhoneError> {
  const errors: Errors<PhoneForm, PhoneError> = {};
  const number = normalizeNumber(mobile);
  if (number === '') errors.mobile = 'phone.required';
  else if (!isInternational(number)) errors.mobile = 'phone.format';
  if (code.trim() === '') errors.code = 'phone.codeRequired';
  return errors;
}

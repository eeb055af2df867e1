import type { Errors } from '@/ui/form/useForm';
import { isShort, type MinimumText, minimumText } from '@/ui/password/minimum';

export interface PasswordForm {
  code: string;
  password: string;
  again: string;
}

export type PasswordError = 'phone.codeRequired' | 'password.required' | MinimumText | 'password.different';

export function checkPassword(
  { code, password, again }: PasswordForm,
  minimum: number,
): Errors<PasswordForm, PasswordError> {
  const errors: Errors<PasswordForm, PasswordError> = {};
  if (code.trim() === '') errors.code = 'phone.codeRequired';
  if (password === '') errors.password = 'password.required';
  else if (isShort(password, minimum)) errors.password = minimumText(minimum);
  if (again !== password) errors.again = 'password.different';
  else if (again === '') errors.again = 'password.required';
  return errors;
}

import type { Errors } from '@/ui/form/useForm';

export interface PasswordForm {
  code: string;
  password: string;
  again: string;
}

export type PasswordError = 'phone.codeRequired' | 'password.required' | MinimumText | 'password.different';

/** The minimum if the provider sets no other; it has a sentence of its own. */
export const defaultMinimum = 6;

type MinimumText = 'password.min' | 'password.minOf';
export const minimumText = (minimum: number): MinimumText =>
  minimum === defaultMinimum ? 'password.min' : 'password.minOf';

/** Counts characters as people do, not UTF-16 code units. */
export const isShort = (password: string, minimum: number) => [...password].length < minimum;

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

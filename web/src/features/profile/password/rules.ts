import type { Errors } from '@/ui/form/useForm';

export interface PasswordForm {
  code: string;
  password: string;
  again: string;
}

export type PasswordError = 'phone.codeRequired' | 'password.required' | 'password.min' | 'password.different';

/** In characters as people count them, not in units of the text's encoding. */
export const shortest = 6;

export function checkPassword({ code, password, again }: PasswordForm): Errors<PasswordForm, PasswordError> {
  const errors: Errors<PasswordForm, PasswordError> = {};
  if (code.trim() === '') errors.code = 'phone.codeRequired';
  if (password === '') errors.password = 'password.required';
  else if ([...password].length < shortest) errors.password = 'password.min';
  if (again !== password) errors.again = 'password.different';
  else if (again === '') errors.again = 'password.required';
  return errors;
}

import type { TFunction } from 'i18next';
import { CaptchaRefusal } from '@/lib/captcha';
import { errorText } from '@/lib/errorText';

/** Trying again would not help now, and the server says why. */
const limits = new Set(['6201', '6202', '6204']);

/** What a check that did not pass is told as. */
export function failureText(error: unknown, t: TFunction): string {
  if (!(error instanceof CaptchaRefusal)) return errorText(error);
  return limits.has(error.repCode) && error.message ? error.message : t('captcha.fail');
}

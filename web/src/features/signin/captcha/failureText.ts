import type { TFunction } from 'i18next';
import { CaptchaError } from '@/lib/http/captcha';
import { errorText } from '@/lib/http/errorText';

/** Codes for which trying again does not help now; the server says why. */
const limitCodes = new Set(['6201', '6202', '6204']);

/** The text for a check that failed. */
export function failureText(error: unknown, t: TFunction): string {
  if (!(error instanceof CaptchaError)) return errorText(error);
  return limitCodes.has(error.repCode) && error.message ? error.message : t('captcha.fail');
}

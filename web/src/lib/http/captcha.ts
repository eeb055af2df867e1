import type { components } from '@/api/schema.gen';
import { requestHeaders } from './headers';
import { sendWithoutEnvelope } from './http';

export type CaptchaAnswer = components['schemas']['CaptchaAnswer'];
export type CaptchaData = components['schemas']['CaptchaData'];

/** The server refused a captcha call; `message` is its own sentence, empty where it gave none. */
export class CaptchaError extends Error {
  readonly repCode: string;

  constructor(repCode: string, repMsg: string) {
    super(repMsg);
    this.name = 'CaptchaError';
    this.repCode = repCode;
  }
}

const captchaType = 'blockPuzzle';
const successCode = '0000';

/**
 * A new puzzle: its pictures, its token, its key. Rejects with a CaptchaError, or with an ApiError
 * when there was no answer.
 */
export function getCaptcha(signal: AbortSignal): Promise<CaptchaData> {
  return postCaptcha('/admin-api/system/captcha/get', { captchaType }, signal);
}

/** Checks the position of the piece; rejects as getCaptcha does. */
export function checkCaptcha(answer: { token: string; pointJson: string }, signal: AbortSignal): Promise<CaptchaData> {
  return postCaptcha('/admin-api/system/captcha/check', { captchaType, ...answer }, signal);
}

async function postCaptcha(path: string, body: object, signal: AbortSignal): Promise<CaptchaData> {
  const answer = (await sendWithoutEnvelope({
    method: 'POST',
    path,
    body,
    headers: requestHeaders(),
    signal,
  })) as CaptchaAnswer;
  if (answer?.repCode === successCode) return answer.repData ?? {};
  throw new CaptchaError(String(answer?.repCode ?? ''), answer?.repMsg ?? '');
}

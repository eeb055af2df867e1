import type { components } from '@/api/schema.gen';
import { requestHeaders } from './headers';
import { sendBare } from './http';

export type CaptchaAnswer = components['schemas']['CaptchaAnswer'];
export type CaptchaData = components['schemas']['CaptchaData'];

/** The server's no to a captcha call; `message` is its own sentence, empty where it gave none. */
export class CaptchaRefusal extends Error {
  readonly repCode: string;

  constructor(repCode: string, repMsg: string) {
    super(repMsg);
    this.name = 'CaptchaRefusal';
    this.repCode = repCode;
  }
}

const captchaType = 'blockPuzzle';
const wentWell = '0000';

/** A new puzzle: its pictures, its token, its key. Rejects with a CaptchaRefusal, or with an ApiError when there was no answer. */
export function getCaptcha(signal: AbortSignal): Promise<CaptchaData> {
  return ask('/admin-api/system/captcha/get', { captchaType }, signal);
}

/** Whether the piece was put in its place; rejects as getCaptcha does. */
export function checkCaptcha(answer: { token: string; pointJson: string }, signal: AbortSignal): Promise<CaptchaData> {
  return ask('/admin-api/system/captcha/check', { captchaType, ...answer }, signal);
}

async function ask(path: string, body: object, signal: AbortSignal): Promise<CaptchaData> {
  const answer = (await sendBare({ method: 'POST', path, body, headers: requestHeaders(), signal })) as CaptchaAnswer;
  if (answer?.repCode === wentWell) return answer.repData ?? {};
  throw new CaptchaRefusal(String(answer?.repCode ?? ''), answer?.repMsg ?? '');
}

import { ApiError } from '@/lib/http/http';

/** The panel is a file of its own, fetched when the form is first touched. Not to get it is to be without connection. */
export async function loadCaptchaPanel(): Promise<typeof import('./CaptchaPanel')> {
  try {
    return await import('./CaptchaPanel');
  } catch {
    throw new ApiError(0, '', 'network');
  }
}

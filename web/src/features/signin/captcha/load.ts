import { ApiError } from '@/lib/http/http';

/**
 * Loads the panel, which is a chunk of its own, when the form is first touched. A failure counts as
 * a missing connection.
 */
export async function loadCaptchaPanel(): Promise<typeof import('./CaptchaPanel')> {
  try {
    return await import('./CaptchaPanel');
  } catch {
    throw new ApiError(0, '', 'network');
  }
}

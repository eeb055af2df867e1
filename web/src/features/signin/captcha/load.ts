import { ApiError } from '@/lib/http/http';
import { loadTexts } from '@/lib/i18n/i18n';

/**
 * Loads the panel, which is a chunk of its own, and its texts, when the form is first touched. A failure counts as
 * a missing connection.
 */
export async function loadCaptchaPanel() {
  try {
    const [panel] = await Promise.all([import('./CaptchaPanel'), loadTexts('rest')]);
    return panel;
  } catch {
    throw new ApiError(0, '', 'network');
  }
}

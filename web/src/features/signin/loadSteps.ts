import { ApiError } from '@/lib/http/http';
import { loadTexts } from '@/lib/i18n/i18n';
import { withAntd } from '@/ui/antd/withAntd';

/** Loads the step with the code and its texts, which not everybody needs. A failure counts as a missing connection. */
export const loadCodeStep = () =>
  orNoConnection(async () => (await Promise.all([import('./CodeStep'), loadTexts('rest')]))[0]);

/** Loads the step that sets up a second factor, with what it needs beyond the sign-in page. */
export const loadEnrolStep = () => orNoConnection(() => withAntd(() => import('./enrol/EnrolStep'), 'EnrolStep'));

async function orNoConnection<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new ApiError(0, '', 'network');
  }
}

import { ApiError } from '@/lib/http/http';
import { withAntd } from '@/ui/antd/withAntd';

/** Loads the step with the code, which not everybody needs. A failure counts as a missing connection. */
export const loadCodeStep = () => orNoConnection(() => import('./CodeStep'));

/** Loads the step that sets up a second factor, with what it needs beyond the sign-in page. */
export const loadEnrolStep = () => orNoConnection(() => withAntd(() => import('./enrol/EnrolStep'), 'EnrolStep'));

async function orNoConnection<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new ApiError(0, '', 'network');
  }
}

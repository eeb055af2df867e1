import { ApiError } from '@/lib/http/http';
import { withAntd } from '@/ui/antd/withAntd';

/**
 * Loads the step, which few people ever see, with what it needs beyond the sign-in page. A failure
 * counts as a missing connection.
 */
export async function loadEnrolStep() {
  try {
    return await withAntd(() => import('./EnrolStep'), 'EnrolStep');
  } catch {
    throw new ApiError(0, '', 'network');
  }
}

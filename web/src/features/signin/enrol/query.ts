import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { requestHeaders } from '@/lib/http/headers';
import { send } from '@/lib/http/http';

/** The key for the app of whoever has the ticket. Each request makes a new one, so one is enough. */
export const enrolmentQuery = (ticket: string) =>
  queryOptions({
    queryKey: ['enrolment', ticket],
    queryFn: async ({ signal }) => {
      const path = '/app-api/member/auth/login-totp-begin';
      const { data } = await send({ method: 'POST', path, body: { ticket }, headers: requestHeaders(), signal });
      return data as components['schemas']['Enrolment'];
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    // The step shows every failure in place of the form.
    meta: { banner: true, shows: [601] },
  });

import { queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/http/api';

/** How the people of a tenant sign in. */
export const signInWaysQuery = (tenantName: string) =>
  queryOptions({
    queryKey: ['sign-in-ways', tenantName],
    queryFn: ({ signal }) => api.get('/app-api/member/auth/ways', { query: { tenantName }, signal }),
    // Without an answer there is the form alone.
    meta: { banner: true, shows: [429, 601] },
    retry: false,
  });

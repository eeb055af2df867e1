import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { requestHeaders } from '@/lib/http/headers';
import { send } from '@/lib/http/http';

export type Offer = components['schemas']['InvitationOffer'];

/** What an invitation offers. The session of whoever is signed in here has nothing to do with it. */
export const offerQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation-offer', token],
    queryFn: async ({ signal }) => {
      const path = '/app-api/member/auth/invitation/get';
      const { data } = await send({ method: 'POST', path, body: { token }, headers: requestHeaders(), signal });
      return data as Offer;
    },
    // The page shows every failure in place of the form.
    meta: { banner: true, shows: [601] },
  });

import { keepPreviousData, type QueryMeta, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';

type Schemas = components['schemas'];

export type Person = Schemas['Person'];
export type PeoplePage = Schemas['PeoplePage'];
export type PersonState = Person['state'];
export type Invitation = Schemas['Invitation'];
export type NewInvitation = Schemas['NewInvitation'];
export type PersonKey = Schemas['PersonKey'];
export type InvitationForm = Schemas['InvitationCreate'];

const path = '/admin-api/client/pc/people';
export const peopleKey = ['people'] as const;
export const invitationsKey = ['invitations'] as const;

/** Which people are listed; absent: all. */
export interface PeopleFilter {
  text?: string;
  role?: Person['role'];
  state?: PersonState;
}

/** A refusal (601) says that the provider manages the people: the tab shows it in place of the list. */
const meta = { banner: true, shows: [601], refetchOn: ['people', 'reset'] } satisfies QueryMeta;

export const peoplePageQuery = (filter: PeopleFilter, pageNo: number, pageSize: number) =>
  queryOptions({
    queryKey: [...peopleKey, filter, pageNo, pageSize],
    queryFn: ({ signal }) => api.get(`${path}/page`, { query: { ...filter, pageNo, pageSize }, signal }),
    placeholderData: keepPreviousData,
    meta,
  });

/**
 * Invitations that nobody accepted yet. They are refetched whenever the user returns: no event says
 * that another owner has sent one.
 */
export const invitationPageQuery = (pageNo: number, pageSize: number) =>
  queryOptions({
    queryKey: [...invitationsKey, pageNo, pageSize],
    queryFn: ({ signal }) => api.get(`${path}/invitations/page`, { query: { pageNo, pageSize }, signal }),
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
    meta,
  });

/** As many as a person may have. */
const mostKeys = 100;

/** Below the people's key: whatever changes them may change what their keys may do. */
export const personKeysQuery = (id: number) =>
  queryOptions({
    queryKey: [...peopleKey, 'keys', id],
    queryFn: ({ signal }) => api.get(`${path}/keys/page`, { query: { id, pageNo: 1, pageSize: mostKeys }, signal }),
    meta: { banner: true, refetchOn: ['people', 'reset'] },
  });

export const updatePerson = (body: Schemas['PersonUpdate']) => api.put(`${path}/update`, { body });
/** Sets the state instead of toggling it: somebody who is disabled twice stays disabled. */
export const enablePerson = (id: number, enabled: boolean) =>
  api.put(`${path}/enable-or-disable`, { body: { id, enabled } });
export const endSessions = (id: number) => api.post(`${path}/end-sessions`, { body: { id } });
export const resetFactor = (id: number) => api.post(`${path}/reset-second-factor`, { body: { id } });
export const setFactorPolicy = (secondFactor: PeoplePage['secondFactor']) =>
  api.put(`${path}/settings`, { body: { secondFactor } });
export const deletePerson = (id: number) => api.del(`${path}/delete`, { query: { id } });
export const deletePersonKey = (id: number, key: number) => api.del(`${path}/keys/delete`, { query: { id, key } });
export const invite = (body: InvitationForm) => api.post(`${path}/invite`, { body });
export const resendInvitation = (id: number) => api.post(`${path}/invitations/resend`, { body: { id } });
export const deleteInvitation = (id: number) => api.del(`${path}/invitations/delete`, { query: { id } });

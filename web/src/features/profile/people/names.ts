import type { Invitation, Person } from './queries';

/** What people call a person. */
export const nameOf = ({ nickname, userName }: Pick<Person, 'nickname' | 'userName'>) => nickname || userName;

/** Whom an invitation is for; undefined where its link was passed on without a name. */
export const inviteeOf = ({ nickname, email }: Pick<Invitation, 'nickname' | 'email'>) =>
  nickname || email || undefined;

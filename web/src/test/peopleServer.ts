import type { Invitation, Person, PersonKey } from '@/features/profile/people/queries';
import { fakeStreams } from './fakeStreams';
import { profileServer } from './profileServer';
import { ok, onDelete, onGet, onPost, onPut } from './server';

export const person = (id: number, change: Partial<Person> = {}): Person => ({
  id,
  userName: `user-${id}`,
  nickname: `Person ${id}`,
  email: `user-${id}@valley.example`,
  role: 'viewer',
  roleFrom: 'here',
  language: '',
  state: 'active',
  removable: true,
  secondFactor: false,
  keys: 0,
  ...change,
});

export const personKey = (id: number, change: Partial<PersonKey> = {}): PersonKey => ({
  id,
  name: `Program ${id}`,
  appKey: `tk_${id}`.padEnd(27, 'x'),
  role: 'viewer',
  mayRole: 'viewer',
  scopes: ['read'],
  enabled: 1,
  createTime: Date.now() - 3_600_000,
  requests24h: 0,
  requests30d: 0,
  ...change,
});

/** The signed-in user of profileServer. */
export const elifAsPerson = person(7, {
  userName: 'elif.kaya',
  nickname: 'Elif Kaya',
  email: 'elif@valley.example',
  role: 'owner',
  roleFrom: 'provider',
  removable: false,
});

export const invitation = (id: number, change: Partial<Invitation> = {}): Invitation => ({
  id,
  email: `guest-${id}@valley.example`,
  role: 'viewer',
  nickname: '',
  language: '',
  invitedBy: 'Elif Kaya',
  mailed: true,
  createTime: Date.now() - 3_600_000,
  expiresTime: Date.now() + 71 * 3_600_000,
  ...change,
});

const root = '/admin-api/client/pc/people';
export const peoplePaths = {
  page: `${root}/page`,
  update: `${root}/update`,
  toggle: `${root}/enable-or-disable`,
  end: `${root}/end-sessions`,
  settings: `${root}/settings`,
  reset: `${root}/reset-second-factor`,
  remove: `${root}/delete`,
  keys: `${root}/keys/page`,
  removeKey: `${root}/keys/delete`,
  invite: `${root}/invite`,
  invitations: `${root}/invitations/page`,
  resend: `${root}/invitations/resend`,
  takeBack: `${root}/invitations/delete`,
};

/** A profile's server with people; `answers` take precedence, by path. */
export function peopleServer(people: Person[] = [elifAsPerson], invitations: Invitation[] = []) {
  const profile = profileServer();
  const live = fakeStreams();
  const keys: Record<number, PersonKey[]> = {};
  const state = { people, invitations, keys, profile, live, secondFactor: 'optional', mail: true };
  onGet('/admin-api/client/pc/live', ({ request }) =>
    live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  const paged = <T>(all: T[], search: URLSearchParams) => {
    const [no, size] = [Number(search.get('pageNo')), Number(search.get('pageSize'))];
    return { list: all.slice((no - 1) * size, no * size), total: all.length };
  };
  const query = (on: typeof onGet, path: string, act: (search: URLSearchParams) => unknown) =>
    on(path, async ({ request }) => {
      const search = new URL(request.url).searchParams;
      profile.asked.push({ path, sent: Object.fromEntries(search) });
      return (await profile.answers.get(path)?.()) ?? ok(act(search) as never);
    });
  const body = (on: typeof onPost, path: string, act: (sent: never) => unknown) =>
    on(path, async ({ request }) => {
      const sent = await request.json();
      profile.asked.push({ path, sent });
      return (await profile.answers.get(path)?.()) ?? ok(act(sent as never) as never);
    });
  const change = (id: number, part: Partial<Person>) => {
    state.people = state.people.map((one) => (one.id === id ? { ...one, ...part } : one));
    return true;
  };

  query(onGet, peoplePaths.page, (search) => {
    const text = (search.get('text') ?? '').toLowerCase();
    const found = state.people.filter(
      (one) =>
        [one.userName, one.nickname, one.email].some((part) => part.toLowerCase().includes(text)) &&
        one.role.startsWith(search.get('role') ?? '') &&
        one.state.startsWith(search.get('state') ?? ''),
    );
    return {
      ...paged(found, search),
      owners: state.people.filter(({ role }) => role === 'owner').length,
      secondFactor: state.secondFactor,
      mail: state.mail,
    };
  });
  query(onGet, peoplePaths.invitations, (search) => paged(state.invitations, search));
  body(onPut, peoplePaths.update, ({ id, ...part }: { id: number } & Partial<Person>) => change(id, part));
  body(onPut, peoplePaths.toggle, ({ id, enabled }: { id: number; enabled: boolean }) =>
    change(id, { state: enabled ? 'active' : 'disabled' }),
  );
  body(onPost, peoplePaths.end, () => true);
  body(onPost, peoplePaths.reset, ({ id }: { id: number }) => change(id, { secondFactor: false }));
  body(onPut, peoplePaths.settings, ({ secondFactor }: { secondFactor: string }) => {
    state.secondFactor = secondFactor;
    return true;
  });
  query(onDelete, peoplePaths.remove, (search) => {
    state.people = state.people.filter(({ id }) => id !== Number(search.get('id')));
    return true;
  });
  query(onGet, peoplePaths.keys, (search) => paged(state.keys[Number(search.get('id'))] ?? [], search));
  query(onDelete, peoplePaths.removeKey, (search) => {
    const id = Number(search.get('id'));
    const left = (state.keys[id] ?? []).filter((key) => key.id !== Number(search.get('key')));
    state.keys[id] = left;
    return change(id, { keys: left.length });
  });
  const answerOf = ({ id, mailed, expiresTime }: Invitation) => ({
    id,
    expiresTime,
    ...(mailed ? {} : { link: `https://valley.example/invitation#token-${id}` }),
  });
  body(onPost, peoplePaths.invite, ({ sendMail, ...rest }: Partial<Invitation> & { sendMail: boolean }) => {
    const made = invitation(100 + state.invitations.length, { email: '', ...rest, mailed: sendMail });
    state.invitations = [made, ...state.invitations];
    return answerOf(made);
  });
  body(onPost, peoplePaths.resend, ({ id }: { id: number }) => {
    state.invitations = state.invitations.map((one) =>
      one.id === id ? { ...one, withdrawn: undefined, invitedBy: 'Elif Kaya' } : one,
    );
    return answerOf(state.invitations.find((one) => one.id === id) ?? invitation(id));
  });
  query(onDelete, peoplePaths.takeBack, (search) => {
    state.invitations = state.invitations.filter(({ id }) => id !== Number(search.get('id')));
    return true;
  });
  return state;
}

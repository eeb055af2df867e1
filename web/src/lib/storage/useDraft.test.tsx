import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { ok, onPost } from '@/test/server';
import { signedIn } from '@/test/session';
import { applyOtherTabSession, signOut, storageKey, useSession } from '../session/session';
import { useDraft } from './useDraft';

interface Profile {
  nickname?: string;
  email?: string;
  password?: string;
  smsCode?: string;
  app?: { name: string; appSecret: string };
  passageway?: number[];
}

beforeEach(() => {
  signedIn();
  onPost('/app-api/member/auth/logout', () => ok(true));
});

const open = (value: Profile | null = null, name = 'profile') =>
  renderHook(({ now }: { now: Profile | null }) => useDraft<Profile>(name, now), { initialProps: { now: value } });

const kept = (userId = 7, name = 'profile') =>
  JSON.parse(sessionStorage.getItem(`tilth.draft.${userId}.${name}`) ?? 'null');

/** A user types and leaves the page. */
function leave(value: Profile) {
  const form = open();
  form.rerender({ now: value });
  form.unmount();
}

describe('a draft', () => {
  it('is stored while typing and offered on return, to be taken once', () => {
    leave({ nickname: 'Elif', email: 'e@x' });
    const form = open();
    expect(form.result.current.offered).toEqual({ nickname: 'Elif', email: 'e@x' });
    act(() => {
      expect(form.result.current.take()).toEqual({ nickname: 'Elif', email: 'e@x' });
    });
    expect(form.result.current.offered).toBeNull();
    form.unmount();
    expect(open().result.current.offered).toBeNull();
  });

  it('that was taken into the form is stored like typed input', () => {
    leave({ nickname: 'Elif' });
    const form = open();
    act(() => {
      form.rerender({ now: form.result.current.take() });
    });
    expect(kept()).toEqual({ nickname: 'Elif' });
  });

  it('is not offered if nothing was typed', () => {
    open().unmount();
    expect(sessionStorage).toHaveLength(0);
    expect(open().result.current.offered).toBeNull();
  });

  it('stays offered while nothing is typed', () => {
    leave({ nickname: 'Elif' });
    open().unmount();
    expect(open().result.current.offered).toEqual({ nickname: 'Elif' });
  });

  it('that was discarded is gone, but not later input', () => {
    leave({ nickname: 'Elif' });
    const form = open();
    act(() => form.result.current.discard());
    expect(form.result.current.offered).toBeNull();
    expect(kept()).toBeNull();

    leave({ nickname: 'Elif' });
    const again = open();
    again.rerender({ now: { nickname: 'Derya' } });
    expect(again.result.current.offered).toEqual({ nickname: 'Elif' });
    act(() => again.result.current.discard());
    expect(kept()).toEqual({ nickname: 'Derya' });
  });

  it('is gone when the input is undone', () => {
    const form = open();
    form.rerender({ now: { nickname: 'E' } });
    expect(kept()).toEqual({ nickname: 'E' });
    form.rerender({ now: null });
    expect(kept()).toBeNull();
  });

  it('is gone once saved, and starts again with the next letter', () => {
    const form = open();
    form.rerender({ now: { nickname: 'Elif' } });
    act(() => form.result.current.clear());
    // The form still differs from the server's last answer.
    form.rerender({ now: { nickname: 'Elif' } });
    expect(kept()).toBeNull();
    form.rerender({ now: { nickname: 'Elif K' } });
    expect(kept()).toEqual({ nickname: 'Elif K' });
  });

  it('contains no password, code or secret at any depth', () => {
    leave({
      nickname: 'Elif',
      password: 'p',
      smsCode: '123456',
      app: { name: 'pump', appSecret: 's' },
      passageway: [1, 2],
    });
    expect(kept()).toEqual({ nickname: 'Elif', app: { name: 'pump' }, passageway: [1, 2] });
  });

  it('with secrets only is not stored', () => {
    leave({ password: 'p' });
    expect(open().result.current.offered).toBeNull();
  });

  it('of another writer is ignored', () => {
    for (const text of ['{', '"x"', '5', 'null']) {
      sessionStorage.setItem('tilth.draft.7.profile', text);
      expect(open().result.current.offered, text).toBeNull();
    }
  });

  it('belongs to one form', () => {
    leave({ nickname: 'Elif' });
    expect(open(null, 'rule').result.current.offered).toBeNull();
  });
});

describe('when the session ends', () => {
  const type = () => {
    const form = open();
    form.rerender({ now: { nickname: 'Elif' } });
    return form;
  };

  it('by the server, a draft stays for its user alone, until another user signs in', () => {
    type();
    act(() => useSession.setState({ session: null, ended: 'lost' }));
    act(() => {
      signedIn();
    });
    expect(open().result.current.offered).toEqual({ nickname: 'Elif' });
    act(() => {
      applyOtherTabSession(JSON.stringify(signedIn({ userId: 8 })));
    });
    expect(open().result.current.offered).toBeNull();
    expect(sessionStorage).toHaveLength(0);
  });

  it('and another user’s begins, an open form stores and offers nothing for that user', () => {
    leave({ email: 'e@x' });
    const form = open();
    form.rerender({ now: { nickname: 'Elif' } });
    act(() => applyOtherTabSession(JSON.stringify(signedIn({ userId: 8 }))));
    form.rerender({ now: { nickname: 'Elif Kaya' } });
    expect(form.result.current.offered).toBeNull();
    expect(sessionStorage).toHaveLength(0);
  });

  it('by signing out, nothing stays, whatever the form does last', async () => {
    sessionStorage.setItem('tilth.other', 'stays');
    const form = type();
    await act(() => signOut());
    form.rerender({ now: { nickname: 'Elif K' } });
    expect(Object.keys(sessionStorage)).toEqual(['tilth.other']);
  });

  it('by signing out in another tab, nothing stays here; if it was lost there, the draft stays', () => {
    type();
    act(() => applyOtherTabSession('{"ended":"lost"}'));
    expect(useSession.getState().ended).toBe('lost');
    expect(kept()).toEqual({ nickname: 'Elif' });
    act(() => {
      signedIn();
    });
    localStorage.removeItem(storageKey);
    act(() => applyOtherTabSession(null));
    expect(useSession.getState().ended).toBe('quit');
    expect(kept()).toBeNull();
  });
});

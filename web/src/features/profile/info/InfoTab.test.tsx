import { act, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { gate } from '@/test/gate';
import { elif, openProfile, paths, profileServer, sentTo, toasts, waitForDialogClosed } from '@/test/profileServer';
import { ok, onPost, refused } from '@/test/server';
import { tokens } from '@/test/session';
import { telemetryServer } from '@/test/telemetryServer';

const nickname = () => screen.getByRole('textbox', { name: 'Nickname' });
const email = () => screen.getByRole('textbox', { name: 'Email' });
const mobile = () => screen.getByRole('textbox', { name: 'Mobile' });
const save = () => screen.getByRole('button', { name: /Save$/ });

describe('essential information', () => {
  it('is saved trimmed, shown in the header and in the card at once, and confirmed by a message', async () => {
    const server = profileServer();
    const { person } = await openProfile();
    await person.clear(nickname());
    await person.type(nickname(), '  Elif K. ');
    await person.clear(email());
    await person.type(email(), 'ek@valley.example');
    await person.click(save());
    await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'success', title: 'modify successfully' }]));
    expect(sentTo(server, paths.update)).toEqual([
      { id: 7, nickname: 'Elif K.', email: 'ek@valley.example', mobile: '+905321144107' },
    ]);
    expect(within(screen.getByRole('banner')).getByText('Elif K.')).toBeVisible();
    expect(screen.getByRole('region', { name: 'Elif K.' })).toHaveTextContent('ek@valley.example');
    expect(nickname()).toHaveValue('Elif K.');
  });

  it('shows errors beside the fields and sends nothing', async () => {
    const server = profileServer();
    const { person } = await openProfile();
    await person.clear(nickname());
    await person.clear(email());
    await person.type(email(), 'elif@valley');
    expect(email()).toBeValid();
    await person.tab();
    expect(email()).toHaveAccessibleDescription('This email address is not valid');
    await person.click(save());
    expect(nickname()).toHaveAccessibleDescription('Please enter a nickname');
    expect(nickname()).toBeInvalid();
    expect(nickname()).toHaveFocus();
    await person.clear(email());
    expect(email()).toHaveAccessibleDescription('Please enter an email address');
    expect(sentTo(server, paths.update)).toEqual([]);
  });

  it('shows the number read-only, with a button to change it', async () => {
    profileServer();
    await openProfile();
    expect(mobile()).toHaveValue('+905321144107');
    expect(mobile()).toHaveAttribute('readonly');
    expect(screen.getByRole('button', { name: 'Update' })).toBeEnabled();
    expect(screen.queryByRole('button', { name: 'Bind' })).toBeNull();
  });

  it('asks a user without a number to bind one first', async () => {
    const server = profileServer({ user: { ...elif, mobile: '' } });
    const { person } = await openProfile();
    await person.click(save());
    expect(mobile()).toHaveAccessibleDescription('Please enter a mobile number');
    expect(screen.getByRole('button', { name: 'Bind' })).toHaveFocus();
    expect(sentTo(server, paths.update)).toEqual([]);
  });

  it('asks so at the first attempt too, if another field was changed before', async () => {
    profileServer({ user: { ...elif, mobile: '' } });
    const { person } = await openProfile();
    await person.type(nickname(), ' K.{Enter}');
    expect(mobile()).toHaveAccessibleDescription('Please enter a mobile number');
  });

  it('keeps typed values while a number is being bound', async () => {
    const server = profileServer({ user: { ...elif, mobile: '' } });
    const { person } = await openProfile();
    await person.clear(nickname());
    await person.type(nickname(), 'Elif of the valley');
    await person.type(email(), 'x');
    await person.click(screen.getByRole('button', { name: 'Bind' }));
    const dialog = within(await screen.findByRole('dialog'));
    await person.type(dialog.getByRole('textbox', { name: 'Mobile' }), '+905551112233');
    await person.type(dialog.getByRole('textbox', { name: 'Verification code' }), '123456');
    await person.click(dialog.getByRole('button', { name: 'Bind number' }));
    await waitForDialogClosed();
    expect(mobile()).toHaveValue('+905551112233');
    expect(nickname()).toHaveValue('Elif of the valley');
    expect(email()).toHaveValue('elif@valley.examplex');
    await person.click(save());
    await waitFor(() =>
      expect(sentTo(server, paths.update)).toEqual([
        { id: 7, nickname: 'Elif of the valley', email: 'elif@valley.examplex', mobile: '+905551112233' },
      ]),
    );
  });

  it('says that there is no SMS, and still saves the other fields', async () => {
    const server = profileServer({ sms: false, user: { ...elif, mobile: '' } });
    const { person } = await openProfile();
    await waitFor(() => expect(screen.getByRole('button', { name: 'Bind' })).toBeDisabled());
    expect(mobile()).toHaveAccessibleDescription(/^SMS is not set up\. /);
    await person.click(save());
    await waitFor(() => expect(sentTo(server, paths.update)).toHaveLength(1));
    expect(sentTo(server, paths.update)[0]).not.toHaveProperty('mobile');
  });

  it('accepts a Chinese number without a country code, but no other such number', async () => {
    const server = profileServer({ user: { ...elif, mobile: '05321144107' } });
    const { person } = await openProfile();
    await person.click(save());
    expect(mobile()).toHaveAccessibleDescription('Enter a mainland China mobile number (11 digits)');
    expect(sentTo(server, paths.update)).toEqual([]);
  });

  it('keeps typed values after a refusal, with a single message', async () => {
    const server = profileServer();
    server.answers.set(paths.update, () => refused(601, 'Nickname: too long'));
    const { person } = await openProfile();
    await person.type(nickname(), '!');
    await person.click(save());
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'error', title: 'fail modify', text: 'Nickname: too long' }]),
    );
    expect(nickname()).toHaveValue('Elif Kaya!');
    expect(within(screen.getByRole('banner')).getByText('Elif Kaya')).toBeVisible();
  });

  it('says that there is no connection', async () => {
    const server = profileServer();
    server.answers.set(paths.update, () => HttpResponse.error());
    const { person } = await openProfile();
    await person.click(save());
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'error', title: 'fail modify', text: 'Cannot connect to the server' }]),
    );
  });

  it('sends a repeated click once and keeps what is typed meanwhile', async () => {
    const answer = gate();
    const server = profileServer();
    server.answers.set(paths.update, async () => {
      await answer.passed;
      server.user = { ...server.user, nickname: 'Elif' };
      return ok(true);
    });
    const { person } = await openProfile();
    await person.clear(nickname());
    await person.type(nickname(), 'Elif{Enter}{Enter}');
    await person.type(email(), '.org');
    answer.open();
    await waitFor(() => expect(toasts()).toHaveLength(1));
    expect(sentTo(server, paths.update)).toHaveLength(1);
    expect(email()).toHaveValue('elif@valley.example.org');
  });
});

const words: Record<string, [string, string, string[]]> = {
  'en-us': ['modify successfully', 'fail modify', ['Please enter a nickname', 'Please enter an email address']],
  'zh-cn': ['修改成功', '修改失败', ['请输入昵称', '请输入邮箱地址']],
  'tr-tr': ['Profil kaydedildi', 'Profil kaydedilemedi', ['Takma adı girin', 'E-posta adresini girin']],
  'ru-ru': ['Профиль сохранён', 'Не удалось сохранить профиль', ['Введите имя', 'Введите адрес эл. почты']],
};

it.each(Object.entries(words))('speaks %s', async (language, [saved, failed, missing]) => {
  await useLanguage.getState().setLanguage(language as Language);
  const server = profileServer();
  const { person } = await openProfile();
  const form = screen.getByRole('form');
  const submit = within(form).getAllByRole('button').at(-1) as HTMLElement;
  const [first, , last] = within(form).getAllByRole('textbox') as [HTMLElement, HTMLElement, HTMLElement];
  // The requests differ from test to test: the duplicate-request guard would take equal ones for
  // repetitions.
  await person.type(first, language);
  await person.click(submit);
  await waitFor(() => expect(toasts().map(({ title }) => title)).toEqual([saved]));
  server.answers.set(paths.update, () => refused(500, 'x'));
  await person.type(first, 'a');
  await person.click(submit);
  await waitFor(() => expect(toasts().map(({ title }) => title)).toContain(failed));
  await person.clear(first);
  await person.clear(last);
  await person.click(submit);
  expect([first, last].map((field) => field.getAttribute('aria-describedby'))).not.toContain(null);
  expect(first).toHaveAccessibleDescription(missing[0]);
  expect(last).toHaveAccessibleDescription(missing[1]);
});

describe('unsaved values', () => {
  it('survive a renewed session, which leads to the home page, and are offered on return', async () => {
    const server = profileServer();
    const { person, router } = await openProfile();
    await person.clear(nickname());
    await person.type(nickname(), 'Elif Derya');
    telemetryServer();
    let refusedOnce = false;
    server.answers.set(paths.update, () => {
      if (refusedOnce) return refused(601, 'no');
      refusedOnce = true;
      return refused(401);
    });
    onPost('/admin-api/system/auth/refresh-token', () => ok(tokens('2')));
    await person.click(save());
    await waitFor(() => expect(screen.queryByRole('tablist')).toBeNull());
    expect(router.state.location.pathname).toBe('/dashboard-default');
    await act(() => router.navigate({ to: '/profile' }));
    expect(await screen.findByText('Continue where you left off?')).toBeVisible();
    expect(nickname()).toHaveValue('Elif Kaya');
    await person.click(screen.getByRole('button', { name: 'Restore' }));
    expect(nickname()).toHaveValue('Elif Derya');
    expect(screen.queryByText('Continue where you left off?')).toBeNull();
  });

  it('are saved after a renewed session, and then not offered', async () => {
    const server = profileServer();
    const { person, router } = await openProfile();
    await person.clear(nickname());
    await person.type(nickname(), 'Elif Derya');
    telemetryServer();
    server.answers.set(paths.update, () => {
      server.answers.delete(paths.update);
      return refused(401);
    });
    onPost('/admin-api/system/auth/refresh-token', () => ok(tokens('3')));
    await person.click(save());
    await waitFor(() => expect(screen.queryByRole('tablist')).toBeNull());
    expect(router.state.location.pathname).toBe('/dashboard-default');
    expect(await screen.findByRole('link', { name: 'Elif Derya' })).toBeVisible();
    expect(sentTo(server, paths.update)).toMatchObject([{ nickname: 'Elif Derya' }, { nickname: 'Elif Derya' }]);
    await act(() => router.navigate({ to: '/profile' }));
    await waitFor(() => expect(nickname()).toHaveValue('Elif Derya'));
    expect(screen.queryByText('Continue where you left off?')).toBeNull();
  });

  it('are not offered once they were saved', async () => {
    profileServer();
    const { person, router } = await openProfile();
    await person.type(nickname(), ' D.');
    await person.click(save());
    await waitFor(() => expect(toasts()).toHaveLength(1));
    await person.click(screen.getByRole('tab', { name: 'My app' }));
    await person.click(screen.getByRole('tab', { name: 'Essential information' }));
    expect(nickname()).toHaveValue('Elif Kaya D.');
    expect(screen.queryByText('Continue where you left off?')).toBeNull();
    expect(router.state.location.pathname).toBe('/profile');
  });
});

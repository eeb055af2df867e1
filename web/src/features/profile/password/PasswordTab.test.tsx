import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { elif, openProfile, paths, profileServer, sentTo, toasts } from '@/test/profileServer';
import { refused } from '@/test/server';

const code = () => screen.getByRole('textbox', { name: 'Verification code' });
const fresh = () => screen.getByLabelText(/^New password\W*$/);
const again = () => screen.getByLabelText(/^New password again/);
const submit = () => within(screen.getByRole('tabpanel')).getByRole('button', { name: /Change password$/ });

async function open(change: Parameters<typeof profileServer>[0] = {}) {
  const server = profileServer(change);
  return { server, ...(await openProfile('/profile?tab=password')) };
}

describe('a new password', () => {
  it('is saved with the code that was sent to the user’s own mobile', async () => {
    const { server, person } = await open();
    expect(code()).toHaveAccessibleDescription('The code goes to +90532 ··· 4107.');
    expect(screen.getByText(/^All your other sessions end/)).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Send code' }));
    await waitFor(() => expect(sentTo(server, paths.send)).toEqual([{ mobile: '+905321144107', scene: 2 }]));
    expect(await screen.findByRole('button', { name: /Again in/ })).toBeDisabled();
    await person.type(code(), '123456');
    await person.type(fresh(), ' new secret ');
    await person.type(again(), ' new secret ');
    await person.click(submit());
    await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'success', title: 'Password changed' }]));
    expect(sentTo(server, paths.password)).toEqual([{ code: '123456', password: ' new secret ' }]);
    for (const field of [code(), fresh(), again()]) {
      expect(field).toHaveValue('');
      expect(field).toBeValid();
    }
  });

  it('shows the errors beside their fields', async () => {
    const { server, person } = await open();
    await person.click(submit());
    expect(code()).toHaveAccessibleDescription('Please enter the verification code');
    expect(code()).toHaveFocus();
    expect(fresh()).toHaveAccessibleDescription('Please enter the new password');
    await person.type(fresh(), '12345');
    expect(fresh()).toHaveAccessibleDescription('At least 6 characters');
    expect(fresh()).toBeInvalid();
    await person.type(fresh(), '6');
    expect(fresh()).toBeValid();
    await person.type(again(), '123457');
    expect(again()).toHaveAccessibleDescription('two passwords different');
    expect(sentTo(server, paths.password)).toEqual([]);
  });

  it('must have the provider’s minimum length', async () => {
    const { server, person } = await open({ passwordMin: 12 });
    await waitFor(() => expect(fresh()).toHaveAccessibleDescription('At least 12 characters'));
    await person.type(code(), '123456');
    await person.type(fresh(), 'eleven char');
    await person.type(again(), 'eleven char');
    await person.click(submit());
    expect(fresh()).toBeInvalid();
    expect(fresh()).toHaveAccessibleDescription('At least 12 characters');
    expect(fresh()).toHaveFocus();
    expect(sentTo(server, paths.password)).toEqual([]);
    await person.type(fresh(), 's');
    expect(fresh()).toBeValid();
    await person.type(again(), 's');
    await person.click(submit());
    await waitFor(() => expect(sentTo(server, paths.password)).toEqual([{ code: '123456', password: 'eleven chars' }]));
  });

  it('shows a warning if it is common, but is accepted', async () => {
    const { server, person } = await open();
    await person.type(code(), '123456');
    await person.type(fresh(), '123456');
    expect(await screen.findByText(/^This is one of the first passwords that anyone tries/)).toBeVisible();
    expect(fresh()).toBeValid();
    await person.type(again(), '123456');
    await person.click(submit());
    await waitFor(() => expect(sentTo(server, paths.password)).toEqual([{ code: '123456', password: '123456' }]));
  });

  it('shows a warning if it contains what others know about the user', async () => {
    const { person } = await open();
    await person.type(fresh(), 'Kaya.Elif1');
    expect(await screen.findByText(/^It contains your name, email, mobile number or farm/)).toBeVisible();
  });

  it('stays in the form after a refusal, with the server’s sentence', async () => {
    const { server, person } = await open();
    server.answers.set(paths.password, () => refused(601, 'The verification code is wrong'));
    await person.type(code(), '000000');
    await person.type(fresh(), '123456');
    await person.type(again(), '123456{Enter}');
    await waitFor(() =>
      expect(toasts()).toEqual([
        { tone: 'error', title: 'Could not change the password', text: 'The verification code is wrong' },
      ]),
    );
    expect(fresh()).toHaveValue('123456');
  });

  it('can be revealed and is not kept as a draft', async () => {
    const { person } = await open();
    await person.type(fresh(), 'top-secret');
    expect(fresh()).toHaveAttribute('type', 'password');
    await person.click(screen.getAllByRole('button', { name: 'Show the password' })[0] as HTMLElement);
    expect(fresh()).toHaveAttribute('type', 'text');
    expect(again()).toHaveAttribute('type', 'password');
    expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain('top-secret');
  });
});

it('requires a number and leads a user without one to bind it', async () => {
  const { person } = await open({ user: { ...elif, mobile: '' } });
  expect(screen.getByText('Bind a mobile number first')).toBeVisible();
  expect(screen.queryByLabelText(/^New password/)).toBeNull();
  await person.click(screen.getByRole('button', { name: 'Bind number' }));
  expect(screen.getByRole('dialog')).toHaveAccessibleName('Bind a mobile number');
});

it('requires SMS and says so if there is none', async () => {
  await open({ sms: false });
  expect(await screen.findByText('SMS is not set up')).toBeVisible();
  expect(screen.getByText(/Ask whoever runs Tilth to set one for you/)).toBeVisible();
  expect(screen.queryByLabelText(/^New password/)).toBeNull();
});

it.each([
  ['en-us', 'At least 10 characters'],
  ['zh-cn', '至少10个字符'],
  ['tr-tr', 'En az 10 karakter'],
  ['ru-ru', 'Минимум символов: 10'],
])('names a minimum other than the default in %s', async (language, words) => {
  await useLanguage.getState().setLanguage(language as Language);
  await open({ passwordMin: 10 });
  expect(await screen.findByText(words)).toBeVisible();
});

const words: Record<string, string[]> = {
  'en-us': [
    'Please enter the new password',
    'At least 6 characters',
    'two passwords different',
    'Password changed',
    'Could not change the password',
  ],
  'zh-cn': ['请输入新密码', '至少6个字符', '两次输入的密码不一致', '密码修改成功', '密码修改失败'],
  'tr-tr': [
    'Yeni parolayı girin',
    'En az 6 karakter',
    'Parolalar aynı değil',
    'Parola değiştirildi',
    'Parola değiştirilemedi',
  ],
  'ru-ru': [
    'Введите новый пароль',
    'Не менее 6 символов',
    'Пароли не совпадают',
    'Пароль изменён',
    'Не удалось изменить пароль',
  ],
};

it.each(Object.entries(words))('speaks %s', async (language, [required, min, different, ok, fail]) => {
  await useLanguage.getState().setLanguage(language as Language);
  const { server, person } = await open();
  const panel = screen.getByRole('tabpanel');
  const [digits, password, repeated] = [...panel.querySelectorAll('input:not([hidden])')] as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ];
  const button = panel.querySelector('button[type=submit]') as HTMLElement;
  await person.click(button);
  expect(password).toHaveAccessibleDescription(required);
  await person.type(password, '1');
  expect(password).toHaveAccessibleDescription(min);
  expect(repeated).toHaveAccessibleDescription(different);
  // The requests differ from test to test: the duplicate-request guard would take equal ones for
  // repetitions.
  await person.type(password, `23456${language}`);
  await person.type(repeated, `123456${language}`);
  await person.type(digits, '1');
  server.answers.set(paths.password, () => refused(601, 'x'));
  await person.click(button);
  await waitFor(() => expect(toasts().map(({ title }) => title)).toEqual([fail]));
  server.answers.clear();
  await person.type(digits, '2');
  await person.click(button);
  await waitFor(() => expect(toasts().map(({ title }) => title)).toContain(ok));
});

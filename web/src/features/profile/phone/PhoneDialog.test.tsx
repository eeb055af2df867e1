import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { elif, openProfile, paths, profileServer, sentTo, toasts, waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';

const dialog = () => within(screen.getByRole('dialog'));
const mobile = () => dialog().getByRole('textbox', { name: 'Mobile' });
const code = () => dialog().getByRole('textbox', { name: 'Verification code' });
const send = () => dialog().getByRole('button', { name: /Send code|Again in/ });

async function open(change: Parameters<typeof profileServer>[0] = {}) {
  const server = profileServer(change);
  const opened = await openProfile();
  await opened.person.click(screen.getByRole('button', { name: /^(Update|Bind)$/ }));
  return { server, ...opened };
}

describe('another number', () => {
  it('gets a code and is bound with it', async () => {
    const { server, person } = await open();
    expect(screen.getByRole('dialog')).toHaveAccessibleName('Update the mobile number');
    await person.type(mobile(), '+90 555 111 22 33');
    await person.click(send());
    expect(await dialog().findByRole('status')).toHaveTextContent('The code is on its way to +905551112233.');
    expect(send()).toBeDisabled();
    expect(send()).toHaveTextContent(/^Again in (60|59) s$/);
    await waitFor(() => expect(code()).toHaveFocus());
    await person.type(code(), ' 123456');
    await person.click(dialog().getByRole('button', { name: 'Update number' }));
    await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'success', title: 'success' }]));
    expect(sentTo(server, paths.send)).toEqual([{ mobile: '+905551112233', scene: 2 }]);
    expect(sentTo(server, paths.mobile)).toEqual([{ mobile: '+905551112233', scene: 2, code: '123456' }]);
    expect(sentTo(server, paths.bind)).toEqual([]);
    await waitForDialogClosed();
    expect(screen.getByRole('textbox', { name: 'Mobile' })).toHaveValue('+905551112233');
  });

  it('keeps the wait for the next code after the dialog was closed', async () => {
    const { person } = await open();
    await person.type(mobile(), '+905551112233');
    await person.click(send());
    await waitFor(() => expect(send()).toBeDisabled());
    await person.click(dialog().getByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
    await person.click(screen.getByRole('button', { name: 'Update' }));
    expect(send()).toBeDisabled();
    expect(send()).toHaveTextContent(/^Again in \d\d s$/);
    expect(mobile()).toHaveValue('');
  });

  it('is checked before a code is sent to it', async () => {
    const { server, person } = await open();
    await person.click(send());
    expect(mobile()).toHaveAccessibleDescription('Please enter a mobile number');
    expect(mobile()).toHaveFocus();
    await person.type(mobile(), '05551112233');
    expect(mobile()).toHaveAccessibleDescription('Enter the number as +905551112233');
    await person.click(send());
    await person.click(dialog().getByRole('button', { name: 'Update number' }));
    expect(code()).toHaveAccessibleDescription('Please enter the verification code');
    expect(server.asked.filter(({ path }) => path !== paths.user)).toEqual([]);
  });

  it('stays in the form to be corrected after a refusal', async () => {
    const { server, person } = await open();
    server.answers.set(paths.mobile, () => refused(601, 'The verification code is wrong'));
    await person.type(mobile(), '+905551112233');
    await person.type(code(), '000000');
    await person.click(dialog().getByRole('button', { name: 'Update number' }));
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'error', title: 'fail', text: 'The verification code is wrong' }]),
    );
    expect(code()).toHaveValue('000000');
  });

  it('allows another request at once if no code was sent', async () => {
    const { server, person } = await open();
    server.answers.set(paths.send, () => refused(-699, 'The SMS could not be sent. Try again later'));
    await person.type(mobile(), '+905551112233');
    await person.click(send());
    await waitFor(() =>
      expect(toasts()).toMatchObject([{ tone: 'error', title: 'The SMS could not be sent. Try again later' }]),
    );
    expect(send()).toBeEnabled();
    expect(send()).toHaveTextContent('Send code');
  });
});

it('does not say that a code is on its way where SMS are only logged', async () => {
  const { person } = await open({ smsLogged: true });
  expect(code()).toHaveAccessibleDescription(/^SMS are written to this server’s log only: no phone receives them/);
  await person.type(mobile(), '+905551112233');
  await person.click(send());
  const said = 'The code for +905551112233 was only written to this server’s log: no phone receives it. ';
  expect(await dialog().findByRole('status')).toHaveTextContent(said);
  expect(code()).toHaveAccessibleDescription(`${said}It is valid for 10 minutes.`);
  expect(dialog().queryByText(/on its way/)).toBeNull();
});

it('binds a first number with a call of its own', async () => {
  const { server, person } = await open({ user: { ...elif, mobile: '' } });
  expect(screen.getByRole('dialog')).toHaveAccessibleName('Bind a mobile number');
  await person.type(mobile(), '13800138000');
  await person.type(code(), '123456');
  await person.click(dialog().getByRole('button', { name: 'Bind number' }));
  await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'success', title: 'success' }]));
  expect(sentTo(server, paths.bind)).toEqual([{ mobile: '13800138000', scene: 2, code: '123456' }]);
  expect(sentTo(server, paths.mobile)).toEqual([]);
});

const words: Record<string, string[]> = {
  'en-us': ['Please enter a mobile number', 'Enter the number as +905551112233', 'success', 'fail'],
  'zh-cn': ['请输入手机号', '请按此格式输入：+8613800138000', '操作成功', '操作失败'],
  'tr-tr': [
    'Cep telefonu numarasını girin',
    'Numarayı +905551112233 biçiminde girin',
    'Numara kaydedildi',
    'Numara kaydedilemedi',
  ],
  'ru-ru': [
    'Введите номер телефона',
    'Введите номер в виде +79001234567',
    'Номер сохранён',
    'Не удалось сохранить номер',
  ],
};

it.each(Object.entries(words))('speaks %s', async (language, [required, format, ok, fail]) => {
  await useLanguage.getState().setLanguage(language as Language);
  const server = profileServer();
  const { person } = await openProfile();
  await person.click(within(screen.getByRole('form')).getAllByRole('button')[0] as HTMLElement);
  const [number, digits] = dialog().getAllByRole('textbox') as [HTMLElement, HTMLElement];
  const submit = dialog()
    .getAllByRole('button')
    .find((button) => button.getAttribute('type') === 'submit') as HTMLElement;
  await person.click(submit);
  expect(number).toHaveAccessibleDescription(required);
  await person.type(number, '0');
  expect(number).toHaveAccessibleDescription(format);
  await person.clear(number);
  await person.type(number, '+905551112233');
  // The requests differ from test to test: the duplicate-request guard would take equal ones for
  // repetitions.
  await person.type(digits, `1${language}`);
  server.answers.set(paths.mobile, () => refused(601, 'x'));
  await person.click(submit);
  await waitFor(() => expect(toasts().map(({ title }) => title)).toEqual([fail]));
  server.answers.clear();
  await person.type(digits, '2');
  await person.click(submit);
  await waitFor(() => expect(toasts().map(({ title }) => title)).toContain(ok));
});

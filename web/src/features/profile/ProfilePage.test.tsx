import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { elif, openProfile, paths, profileServer, toasts } from '@/test/profileServer';
import { refused } from '@/test/server';

const tabs = () => screen.getAllByRole('tab').map((tab) => [tab.textContent, tab.getAttribute('aria-selected')]);
const card = (name = 'Elif Kaya') => screen.getByRole('region', { name });

describe('the card', () => {
  it('shows the user’s names and contacts, and the newest login with its time zone', async () => {
    profileServer();
    await openProfile();
    expect(within(card()).getByRole('heading', { name: 'Elif Kaya' })).toBeVisible();
    expect(card()).toHaveTextContent('elif.kaya');
    expect(card()).toHaveTextContent('+90532 ··· 4107');
    expect(card()).toHaveTextContent('elif@valley.example');
    expect(card()).toHaveTextContent(/Last loginNov 21, 2026, 05:58 \(UTC[^)]*\)/);
  });

  it('names missing data in words', async () => {
    profileServer({ user: { ...elif, nickname: '', email: '', mobile: '', loginDate: undefined } });
    await openProfile();
    expect(card('elif.kaya')).toHaveTextContent('MobileNo number yet');
    expect(card('elif.kaya')).toHaveTextContent('Email–');
    expect(card('elif.kaya')).toHaveTextContent('Last login–');
  });

  it.each([
    ['en-us', 'Last login'],
    ['zh-cn', '最近登录'],
    ['tr-tr', 'Son oturum açma'],
    ['ru-ru', 'Последний вход'],
  ] as const)('names the newest login in %s', async (language, name) => {
    await useLanguage.getState().setLanguage(language);
    profileServer();
    await openProfile();
    const fact = within(card()).getByText(name, { selector: 'dt' });
    expect(fact.nextElementSibling?.querySelector('time')).toHaveAttribute(
      'dateTime',
      new Date(elif.loginDate ?? 0).toISOString(),
    );
  });
});

describe('the tabs', () => {
  it('open from a link and are kept in the address', async () => {
    profileServer();
    const { person, router } = await openProfile('/profile?tab=app');
    expect(tabs()).toEqual([
      ['Essential information', 'false'],
      ['Change password', 'false'],
      ['People', 'false'],
      ['My app', 'true'],
      ['Webhooks', 'false'],
      ['Home Assistant', 'false'],
    ]);
    await person.click(screen.getByRole('tab', { name: 'Change password' }));
    expect(router.state.location.href).toBe('/profile?tab=password');
    expect(await screen.findByLabelText(/^New password\W*$/)).toBeVisible();
    await person.click(screen.getByRole('tab', { name: 'Essential information' }));
    expect(router.state.location.href).toBe('/profile');
    expect(screen.getByRole('textbox', { name: 'Nickname' })).toHaveValue('Elif Kaya');
  });

  it('have a button for hidden tabs, labelled in the user’s language', async () => {
    profileServer();
    await openProfile();
    // jsdom has no layout: the button exists but is hidden, so it cannot be found by its name.
    const icon = document.querySelector('.ant-tabs-nav-more [role="img"]');
    expect(icon).toHaveAttribute('aria-label', 'Parts of the profile');
  });

  it('fall back to the first one for an unknown name', async () => {
    profileServer();
    await openProfile('/profile?tab=billing');
    expect(tabs()[0]).toEqual(['Essential information', 'true']);
  });

  it.each([
    ['en-us', ['Essential information', 'Change password', 'People', 'My app', 'Webhooks', 'Home Assistant']],
    ['zh-cn', ['基本信息', '修改密码', '人员', '我的应用', 'Webhook', 'Home Assistant']],
    ['tr-tr', ['Temel bilgiler', 'Parolayı değiştir', 'Kişiler', 'Uygulamalarım', 'Webhook', 'Home Assistant']],
    ['ru-ru', ['Основные данные', 'Смена пароля', 'Люди', 'Мои приложения', 'Вебхуки', 'Home Assistant']],
  ] as const)('speak %s', async (language, names) => {
    await useLanguage.getState().setLanguage(language);
    profileServer();
    await openProfile();
    expect(tabs().map(([name]) => name)).toEqual(names);
  });
});

it('shows an error if the profile cannot be fetched, and retries on request', async () => {
  const server = profileServer();
  server.answers.set(paths.user, () => refused(500, 'The server is at fault'));
  const { openConsole } = await import('@/test/console');
  await openConsole('/profile');
  const note = (await screen.findByText('Your profile could not be fetched')).closest('[role=alert]') as HTMLElement;
  expect(note).toHaveTextContent('The server is at fault');
  expect(screen.queryByRole('tablist')).toBeNull();
  server.answers.clear();
  within(note).getByRole('button', { name: 'Retry' }).click();
  expect(await screen.findByRole('tablist')).toBeVisible();
  expect(screen.queryByText('Your profile could not be fetched')).toBeNull();
  expect(toasts().filter(({ tone }) => tone === 'success')).toEqual([]);
});

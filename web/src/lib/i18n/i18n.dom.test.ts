import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { currentLanguage, isLanguage, languages, useLanguage } from './i18n';

const choose = (code: Parameters<ReturnType<typeof useLanguage.getState>['setLanguage']>[0]) =>
  useLanguage.getState().setLanguage(code);

describe('the language', () => {
  it.each([
    ['en-us', 'en', 'Home page'],
    ['zh-cn', 'zh-CN', '首页'],
    ['tr-tr', 'tr', 'Ana sayfa'],
    ['ru-ru', 'ru', 'Главная'],
  ] as const)('%s is chosen for texts and page, and kept', async (code, tag, home) => {
    await choose(code);
    expect(i18next.t('nav.home')).toBe(home);
    expect(document.documentElement.lang).toBe(tag);
    expect(currentLanguage()).toBe(code);
    expect(localStorage.getItem('tilth.language')).toBe(code);
  });

  it('uses all forms of Russian nouns', async () => {
    await choose('ru-ru');
    expect([1, 3, 5, 21].map((count) => i18next.t('shell.unread', { count }))).toEqual([
      '1 непрочитанное сообщение',
      '3 непрочитанных сообщения',
      '5 непрочитанных сообщений',
      '21 непрочитанное сообщение',
    ]);
  });

  it('leaves escaping to React', () => {
    expect(i18next.t('settings.version', { version: '<b>' })).toBe('Tilth <b>');
  });

  it('collapses the full stops when a value ends with one', async () => {
    await choose('ru-ru');
    const renderedTexts = [
      i18next.t('inform.within', { readings: '3 показания', window: '2 дн.' }),
      i18next.t('inform.within', { readings: '3 показания', window: '5 мин' }),
      i18next.t('history.shown', { from: '19 нояб.', to: '20 нояб.' }),
      i18next.getFixedT('ru-ru')('device.form.pin', { place: 'a..b, 26° в. д.' }),
    ];
    expect(renderedTexts).toEqual([
      '3 показания за 2 дн.',
      '3 показания за 5 мин.',
      'Показано: 19 нояб. – 20 нояб.',
      'Метка: a..b, 26° в. д. Стрелки двигают её, с Shift мелкими шагами.',
    ]);
  });

  it('follows another tab', async () => {
    window.dispatchEvent(new StorageEvent('storage', { key: 'tilth.language', newValue: 'tr-tr' }));
    await expect.poll(currentLanguage).toBe('tr-tr');
    window.dispatchEvent(new StorageEvent('storage', { key: 'tilth.language', newValue: 'xx-xx' }));
    window.dispatchEvent(new StorageEvent('storage', { key: 'else', newValue: 'ru-ru' }));
    expect(currentLanguage()).toBe('tr-tr');
  });

  it('accepts its languages and no other', () => {
    expect(languages.filter(({ code }) => !isLanguage(code))).toEqual([]);
    for (const other of ['en', 'EN-US', null, 1]) expect(isLanguage(other)).toBe(false);
  });
});

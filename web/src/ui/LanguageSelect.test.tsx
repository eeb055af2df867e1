import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { useLanguage } from '@/lib/i18n/i18n';
import { LanguageSelect } from './LanguageSelect';

const { setLanguage } = useLanguage.getState();
afterEach(() => useLanguage.setState({ setLanguage }));

it('names each language in that language', () => {
  render(<LanguageSelect />);
  const options = screen.getAllByRole<HTMLOptionElement>('option');
  expect(options.slice(0, 4).map(({ text, lang }) => [text, lang])).toEqual([
    ['English', 'en'],
    ['简体中文', 'zh-CN'],
    ['Türkçe', 'tr'],
    ['Русский', 'ru'],
  ]);
});

it('reports when the texts cannot be fetched, and keeps the language', async () => {
  useLanguage.setState({ setLanguage: () => Promise.reject(new TypeError('no such chunk')) });
  render(<LanguageSelect />);
  const select = screen.getByRole('combobox', { name: 'Language' });
  await userEvent.selectOptions(select, 'Русский');
  await expect
    .poll(() => useFeedback.getState().toasts.map(({ title }) => title))
    .toEqual(['Cannot connect to the server']);
  expect(select).toHaveValue('en-us');
});

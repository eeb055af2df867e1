import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { ExportButton } from './ExportButton';

it.each([
  ['en-us', '1.3\u00a0MB'],
  ['tr-tr', '1,3\u00a0MB'],
  ['ru-ru', '1,3\u00a0МБ'],
] as [Language, string][])('shows the progress in %s, in the language’s format', async (language, text) => {
  await useLanguage.getState().setLanguage(language);
  render(
    <ExportButton
      exporting={{ received: 1_300_000, total: undefined }}
      disabled={false}
      onStart={vi.fn()}
      onCancel={vi.fn()}
    />,
  );
  expect(screen.getByText((_, element) => element?.textContent === text)).toBeInTheDocument();
  await useLanguage.getState().setLanguage('en-us');
});

import { act, render, screen } from '@testing-library/react';
import { ConfigProvider, theme } from 'antd';
import dayjs from 'dayjs';
import { useContext } from 'react';
import { expect, it } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { usePreferences } from '@/lib/storage/preferences';
import { setReducedMotion, setWidth } from '@/test/mediaQueries';
import { AntdProvider } from './AntdProvider';
import { antdTheme } from './antdTheme';
import { palettes } from './palette';

function Probe() {
  const { locale } = useContext(ConfigProvider.ConfigContext);
  const { token } = theme.useToken();
  return (
    <output>
      {[locale?.locale, token.colorBgContainer, token.colorPrimary, token.colorError, token.controlHeight].join(' ')}
    </output>
  );
}

function Motion() {
  return <output>{String(theme.useToken().token.motion)}</output>;
}

const seen = () => screen.getByRole('status').textContent;

it('passes the language, the theme’s values and the touch size to antd and dayjs', async () => {
  render(
    <AntdProvider>
      <Probe />
    </AntdProvider>,
  );
  expect(seen()).toBe(`en ${palettes.light.surface} ${palettes.light.primary} ${palettes.light.clay} 36`);
  act(() => usePreferences.getState().set({ darkMode: true }));
  expect(seen()).toBe(`en ${palettes.dark.surface} ${palettes.dark.primary} ${palettes.dark.clay} 36`);
  setWidth(390);
  expect(seen()).toMatch(/ 44$/);

  for (const [language, antd, months] of [
    ['zh-cn', 'zh-cn', 'zh-cn'],
    ['tr-tr', 'tr', 'tr'],
    ['ru-ru', 'ru', 'ru'],
    ['en-us', 'en', 'en'],
  ] as const) {
    await act(() => useLanguage.getState().setLanguage(language));
    await expect.poll(seen).toMatch(new RegExp(`^${antd} `));
    expect(dayjs.locale()).toBe(months);
  }
});

it('turns motion off as soon as the user prefers reduced motion', () => {
  render(
    <AntdProvider>
      <Motion />
    </AntdProvider>,
  );
  expect(seen()).toBe('true');
  setReducedMotion(true);
  expect(seen()).toBe('false');
  setReducedMotion(false);
  expect(seen()).toBe('true');
});

it.each(['light', 'dark'] as const)('draws antd’s focus rings like those of the rest of the page, %s', (name) => {
  const { focus } = palettes[name];
  const { token, components } = antdTheme(name, false, false);
  // antd draws every focus ring in this colour.
  expect(token?.colorPrimaryBorder).toBe(focus);
  for (const field of [components?.Input, components?.Select, components?.DatePicker]) {
    expect(field?.activeBorderColor).toBe(focus);
  }
});

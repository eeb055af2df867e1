import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import { ConfigProvider } from 'antd';
import type { Locale } from 'antd/lib/locale';
import enUS from 'antd/locale/en_US';
import dayjs from 'dayjs';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { phoneQuery, reducedMotionQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { useTheme } from '@/lib/storage/preferences';
import { antdTheme } from './antdTheme';

/** antd's own texts and dayjs' month names, fetched with the language. */
const locales: Record<Language, () => Promise<Locale>> = {
  'en-us': async () => enUS,
  'zh-cn': async () => {
    const [antd] = await Promise.all([import('antd/locale/zh_CN'), import('dayjs/locale/zh-cn')]);
    return antd.default;
  },
  'tr-tr': async () => {
    const [antd] = await Promise.all([import('antd/locale/tr_TR'), import('dayjs/locale/tr')]);
    return antd.default;
  },
  'ru-ru': async () => {
    const [antd] = await Promise.all([import('antd/locale/ru_RU'), import('dayjs/locale/ru')]);
    return antd.default;
  },
};

const dayjsNames: Record<Language, string> = { 'en-us': 'en', 'zh-cn': 'zh-cn', 'tr-tr': 'tr', 'ru-ru': 'ru' };

// After a quick answer antd may leave its own icon in the button, and with it the word "loading" in
// the button's name.
const button = { autoInsertSpace: false, loadingIcon: <LoadingOutlined aria-hidden="true" /> };

export function AntdProvider({ children }: { children: ReactNode }) {
  const name = useTheme();
  const isPhone = useMediaQuery(phoneQuery);
  const isStill = useMediaQuery(reducedMotionQuery);
  const language = useLanguage((state) => state.language);
  const [locale, setLocale] = useState<Locale>(enUS);
  const theme = useMemo(() => antdTheme(name, isPhone, isStill), [name, isPhone, isStill]);

  useEffect(() => {
    let current = true;
    locales[language]().then(
      (loaded) => {
        if (!current) return;
        dayjs.locale(dayjsNames[language]);
        setLocale(loaded);
      },
      // antd keeps its former language; every text of the console is in the new one already.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [language]);

  return (
    <ConfigProvider theme={theme} locale={locale} button={button}>
      {children}
    </ConfigProvider>
  );
}

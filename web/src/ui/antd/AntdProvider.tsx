import DownOutlined from '@ant-design/icons/DownOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { ConfigProvider } from 'antd';
import type { Locale } from 'antd/lib/locale';
import antdDefault from 'antd/locale/en_US';
import dayjs from 'dayjs';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { phoneQuery, reducedMotionQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { useTheme } from '@/lib/storage/preferences';
import { antdTheme } from './antdTheme';

// After a quick answer antd may leave its own icon in the button, and with it the word "loading" in
// the button's name.
const button = { autoInsertSpace: false, loadingIcon: <LoadingOutlined aria-hidden="true" /> };
// antd's own have labels, in English in every language.
const select = {
  suffixIcon: <DownOutlined aria-hidden="true" />,
  showSearch: { searchIcon: <SearchOutlined aria-hidden="true" /> },
};

export function AntdProvider({ children }: { children: ReactNode }) {
  const name = useTheme();
  const isPhone = useMediaQuery(phoneQuery);
  const isStill = useMediaQuery(reducedMotionQuery);
  const language = useLanguage((state) => state.language);
  const [locale, setLocale] = useState<Locale>(antdDefault);
  const theme = useMemo(() => antdTheme(name, isPhone, isStill), [name, isPhone, isStill]);

  useEffect(() => {
    let current = true;
    const { antd, dayjs: months } = descriptors[language];
    Promise.all([antd(), months.load()]).then(
      ([loaded]) => {
        if (!current) return;
        dayjs.locale(months.name);
        setLocale(loaded.default);
      },
      // antd keeps its former language; every text of the console is in the new one already.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [language]);

  return (
    <ConfigProvider theme={theme} locale={locale} button={button} select={select}>
      {children}
    </ConfigProvider>
  );
}

import { ConfigProvider } from 'antd';
import type { ReactNode } from 'react';

/**
 * antd makes no style sheets in here: nothing is drawn in tests, and jsdom would hold every element against every rule of them
 * whenever a style is asked for.
 */
export function WithoutAntdStyles({ children }: { children: ReactNode }) {
  return <ConfigProvider theme={{ zeroRuntime: true }}>{children}</ConfigProvider>;
}

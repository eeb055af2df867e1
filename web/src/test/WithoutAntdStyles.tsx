import { ConfigProvider } from 'antd';
import type { ReactNode } from 'react';

/**
 * Stops antd from creating style sheets: tests draw nothing, and jsdom would match every element
 * against every rule whenever a style is read.
 */
export function WithoutAntdStyles({ children }: { children: ReactNode }) {
  return <ConfigProvider theme={{ zeroRuntime: true }}>{children}</ConfigProvider>;
}

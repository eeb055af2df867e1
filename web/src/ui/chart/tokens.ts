import { useMemo } from 'react';
import { type Theme, useTheme } from '@/lib/storage/preferences';

/** The design's values that a canvas needs as values. */
export interface ChartTokens {
  theme: Theme;
  surface: string;
  line: string;
  line2: string;
  ink2: string;
  ink3: string;
  font: string;
  /** c1 to c8. */
  colors: string[];
}

function read(theme: Theme): ChartTokens {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    theme,
    surface: value('surface'),
    line: value('line'),
    line2: value('line2'),
    ink2: value('ink2'),
    ink3: value('ink3'),
    font: value('font'),
    colors: Array.from({ length: 8 }, (_, index) => value(`c${index + 1}`)),
  };
}

/** The tokens of the page's current theme. */
export function useChartTokens(): ChartTokens {
  const theme = useTheme();
  return useMemo(() => read(theme), [theme]);
}

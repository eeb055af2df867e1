import { defaultParseSearch, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type AnalysisSearch, analysisSearch, type Layer, layers, namesOf } from './search';

/** What the address holds, and how to change it. Every change can be undone by the browser's Back. */
export function useAnalysisSearch() {
  const search = useSearch({ from: '/signed-in/shell/analysis' });
  const navigate = useNavigate({ from: '/analysis' });
  const change = useCallback(
    (next: Partial<AnalysisSearch>, { replace = false } = {}) =>
      void navigate({
        replace,
        to: '.',
        search: (before) => analysisSearch({ ...before, ...next }),
        resetScroll: false,
      }),
    [navigate],
  );
  const hidden = useMemo(() => new Set(namesOf(search.hide)), [search.hide]);
  const shows = useCallback((layer: Layer) => !hidden.has(layer), [hidden]);
  const toggle = useCallback(
    (layer: Layer) =>
      change({ hide: layers.filter((other) => hidden.has(other) !== (other === layer)).join(',') || undefined }),
    [change, hidden],
  );
  // What is saved as a view, and how one is opened.
  const query = useLocation({ select: ({ searchStr }) => searchStr.replace(/^\?/, '') });
  const open = useCallback(
    (saved: string) => void navigate({ to: '.', search: analysisSearch(defaultParseSearch(`?${saved}`)) }),
    [navigate],
  );
  return { search, change, shows, toggle, query, open };
}

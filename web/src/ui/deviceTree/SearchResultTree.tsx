import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { Empty } from '../Empty';
import { ErrorNote } from '../ErrorNote';
import { PlainButton } from '../PlainButton';
import { DeviceTree, type Ticks } from './DeviceTree';
import css from './SearchResultTree.module.css';
import { TreeSkeleton } from './TreeSkeleton';
import type { Search } from './useDeviceSearchRows';

interface SearchResultTreeProps {
  search: Search;
  selected?: string;
  onSelect?: (deviceName: string) => void;
  ticks?: Ticks;
  /** The button if nothing was found. */
  clear?: { words: string; onClear: () => void };
  /** The level of the heading that says that nothing was found. */
  level?: 2 | 3;
}

/** The server's results for a text, a state, or both. */
export function SearchResultTree({ search, clear, level = 3, ...tree }: SearchResultTreeProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { text, total, rows, error, retry, more } = search;
  if (error) {
    return (
      <div className={css.note}>
        <ErrorNote title={errorText(error)} onRetry={retry} />
      </div>
    );
  }
  if (total === undefined) return <TreeSkeleton />;
  const typed = text !== '';
  return (
    <>
      <p className="visually-hidden" role="status">
        {t('home.search.found', { count: total, n: format.number(total) })}
      </p>
      {total === 0 ? (
        <Empty
          kind="search"
          level={level}
          title={typed ? t('home.search.noneTitle', { text }) : t('data.picker.none')}
          text={typed ? t('home.search.noneText') : undefined}
          action={clear ? <PlainButton onClick={clear.onClear}>{clear.words}</PlainButton> : null}
        />
      ) : (
        <DeviceTree
          {...tree}
          label={typed ? t('home.search.results', { text }) : t('home.list.title')}
          rows={rows}
          onToggle={() => undefined}
          onMore={more}
        />
      )}
    </>
  );
}

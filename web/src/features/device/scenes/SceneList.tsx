import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Scene } from '@/lib/device/scenes';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import { overviewQuery } from '@/lib/http/queries';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { SearchField } from '@/ui/SearchField';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { sceneListQuery } from '../queries';
import css from './SceneList.module.css';
import { SceneRow } from './SceneRow';

interface SceneListProps {
  /** The chosen scene, 0 for the default group; undefined: all devices. */
  chosen: number | undefined;
  onChoose: (id: number | undefined) => void;
  /** Absent: the user may not. */
  onEdit?: (scene: Scene) => void;
  onDelete?: (scene: Scene) => void;
}

/** All devices, those without a scene, then the scenes by name, with a search by name. */
export function SceneList({ chosen, onChoose, onEdit, onDelete }: SceneListProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const text = useDebouncedText(typed.trim());
  const overview = useQuery(overviewQuery()).data;
  const query = useInfiniteQuery(sceneListQuery(text));
  const scenes = query.data?.pages.flatMap(({ list }) => list);

  return (
    <>
      <div className={css.search}>
        <SearchField value={typed} onChange={setTyped} label={t('scene.name')} placeholder={t('scene.name')} />
      </div>
      {query.isError ? (
        <div className={css.error}>
          <ErrorNote title={t('scene.loadFail')} onRetry={() => void query.refetch()} busy={query.isFetching} />
        </div>
      ) : null}
      <ul className={css.list} aria-label={t('scene.title')}>
        {text === '' ? (
          <>
            <SceneRow
              name={t('scene.all')}
              count={overview?.deviceCount}
              chosen={chosen === undefined}
              onChoose={() => onChoose(undefined)}
            />
            <SceneRow
              name={t('home.defaultGroup')}
              count={overview?.unassignedCount}
              chosen={chosen === 0}
              onChoose={() => onChoose(0)}
            />
          </>
        ) : null}
        {scenes?.map((scene) => (
          <SceneRow
            key={scene.id}
            name={scene.groupName}
            count={scene.deviceCount}
            forbidden={scene.groupStatus === 2}
            chosen={chosen === scene.id}
            onChoose={() => onChoose(scene.id)}
            onEdit={onEdit && (() => onEdit(scene))}
            onDelete={onDelete && (() => onDelete(scene))}
          />
        ))}
      </ul>
      {query.isPending && !query.isError ? <SceneSkeleton /> : null}
      {text !== '' && scenes?.length === 0 ? (
        <Empty kind="search" title={t('scene.noneTitle', { text })} level={3} />
      ) : null}
      {query.hasNextPage ? (
        <button
          type="button"
          className={css.more}
          aria-disabled={query.isFetchingNextPage}
          onClick={() => {
            if (!query.isFetchingNextPage) void query.fetchNextPage();
          }}
        >
          {t('scene.more')}
        </button>
      ) : null}
    </>
  );
}

function SceneSkeleton() {
  return (
    <Loading>
      <div className={css.skeleton}>
        {['64%', '52%', '70%', '46%'].map((width) => (
          <Skeleton key={width} height={16} width={width} />
        ))}
      </div>
    </Loading>
  );
}

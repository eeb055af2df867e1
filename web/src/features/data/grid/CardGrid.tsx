import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Device, nameOf } from '@/lib/device/types';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useAsOf } from '@/lib/offline/reachability';
import { PageError } from '@/ui/PageError';
import { SiblingNames } from '../card/siblingNames';
import { type Expanded, ExpandedCards } from './expandedCards';
import { GroupCards, SkeletonCards } from './GroupCards';
import { groupLayouts, sensorsInView } from './groupLayouts';
import type { GridContent } from './sections';
import { useScrollWindow } from './useScrollWindow';
import { useSensors } from './useSensors';

const desktopMeasures = {
  cell: 368,
  gap: 16,
  leastColumn: 270,
  video: 568,
  singleVideo: 288,
  videosLast: false,
  head: 44,
  groupGap: 12,
};
const phoneMeasures = { ...desktopMeasures, cell: 414, gap: 12, videosLast: true, head: 76 };
const noGroups: GridContent['groups'] = [];

interface CardGridProps {
  label: string;
  /** Undefined until the page knows which cards there are. */
  content: GridContent | undefined;
  /** The page's failed queries; they are reported together with those of the cards. */
  failed: readonly UseQueryResult<unknown>[];
  /** When the list of the picked devices was current, by this machine's clock. */
  updated: number | undefined;
  folded: ReadonlySet<number>;
  onFold: (id: number) => void;
  /** Called with the last camera that is rendered. */
  onReach: (camera: Device) => void;
}

/**
 * The cards of each group below its name. Renders only the cards that are at least partly in the
 * window, and one more row above and below. Ten thousand cards thus scroll like ten. The positions
 * of all cards are known beforehand, so nothing moves when data arrives.
 */
export function CardGrid({ label, content, failed, updated, folded, onFold, onReach }: CardGridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const sizes = useMediaQuery(phoneQuery) ? phoneMeasures : desktopMeasures;
  const step = sizes.cell + sizes.gap;
  const { width, top, bottom } = useScrollWindow(frame, step);
  const groups = content?.groups ?? noGroups;
  const { opened, expanded } = useExpanded(groups);
  const { placed, height } = useMemo(
    () => groupLayouts(groups, folded, opened, { ...sizes, width }),
    [groups, folded, opened, sizes, width],
  );
  const spans = useMemo(
    () => placed.map(({ cards, listTop }) => cards.within(top - step - listTop, bottom + step - listTop)),
    [placed, top, bottom, step],
  );
  const last = placed.flatMap(({ videos, folded: away }, i) =>
    away ? [] : (videos[(spans[i]?.videos.to ?? 0) - 1] ?? []),
  );
  const lastCamera = last.at(-1);
  useEffect(() => {
    if (lastCamera) onReach(lastCamera);
  }, [lastCamera, onReach]);

  const sections = useMemo(
    () => placed.flatMap(({ section, folded: away }) => (section && !away ? [section] : [])),
    [placed],
  );
  const { slots, updatedAt, failed: missing } = useSensors(sections, sensorsInView(placed, spans));
  const asOf = useAsOf(updatedAt ?? updated);

  // Memoized by the names: they hardly ever change, whereas the devices change with every reading.
  const nameKey = [...(content?.videos ?? []), ...slots.map(({ device }) => device)]
    .map((device) => (device ? nameOf(device) : ''))
    .join('\n');
  const names = useMemo(() => nameKey.split('\n').filter(Boolean), [nameKey]);

  return (
    <SiblingNames value={names}>
      <ExpandedCards value={expanded}>
        <PageError queries={[...failed, ...missing]} />
        {/* biome-ignore lint/a11y/useSemanticElements: the groups of cards are no form's fields */}
        <div
          ref={frame}
          role="group"
          aria-label={label}
          aria-busy={!content}
          style={{ minHeight: content ? height : undefined }}
        >
          {content ? null : <SkeletonCards label={label} measures={{ ...sizes, width }} />}
          {placed.map((group, i) => (
            <GroupCards
              key={group.group.id}
              placed={group}
              shown={spans[i]}
              slots={slots}
              asOf={asOf}
              gap={sizes.groupGap}
              videosLast={sizes.videosLast}
              onFold={onFold}
            />
          ))}
        </div>
      </ExpandedCards>
    </SiblingNames>
  );
}

/** The cards that show all their readings, until other devices are shown. */
function useExpanded(groups: GridContent['groups']) {
  const shownKey = groups.map(({ section }) => `${section?.key}:${section?.count}`).join();
  const [state, setState] = useState<{ shownKey: string; cards: ReadonlyMap<string, Expanded> }>({
    shownKey,
    cards: new Map(),
  });
  const cards = state.shownKey === shownKey ? state.cards : undefined;
  const opened = useMemo(() => [...(cards?.values() ?? [])], [cards]);
  const set = useCallback(
    (deviceName: string, card: Expanded | undefined) =>
      setState((before) => {
        const next = new Map(before.shownKey === shownKey ? before.cards : []);
        if (card) next.set(deviceName, card);
        else next.delete(deviceName);
        return { shownKey, cards: next };
      }),
    [shownKey],
  );
  const expanded = useMemo(() => ({ cards: cards ?? new Map<string, Expanded>(), set }), [cards, set]);
  return { opened, expanded };
}

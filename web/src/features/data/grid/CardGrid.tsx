import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type Device, nameOf } from '@/lib/device/types';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useAsOf } from '@/lib/offline/reachability';
import { PageError } from '@/ui/PageError';
import { CardSkeleton, SensorCard } from '../card/SensorCard';
import { SiblingNames } from '../card/siblingNames';
import { StreamlessCard } from '../video/StreamlessCard';
import { VideoCard } from '../video/VideoCard';
import css from './CardGrid.module.css';
import { layout, type Place, type Span } from './layout';
import type { GridContent } from './sections';
import { useScrollWindow } from './useScrollWindow';
import { useSensors } from './useSensors';

const desktopMeasures = { cell: 276, gap: 16, leastColumn: 270, singleVideo: 288, videosLast: false };
const phoneMeasures = { cell: 312, gap: 12, leastColumn: 270, singleVideo: 288, videosLast: true };
const skeletonContent: GridContent = { videos: [], sections: [], sensors: 9 };

interface CardGridProps {
  label: string;
  /** Undefined until the page knows which cards there are. */
  content: GridContent | undefined;
  /** The page's failed queries; they are reported together with those of the cards. */
  failed: readonly UseQueryResult<unknown>[];
  /** When the list of the picked devices was current, by this machine's clock. */
  updated: number | undefined;
  /** Called with the last camera that is rendered. */
  onReach: (camera: Device) => void;
}

/**
 * Renders only the cards that are at least partly in the window, and one more row above and below.
 * Ten thousand cards thus scroll like ten. The positions of all cards are known beforehand, so
 * nothing moves when data arrives.
 */
export function CardGrid({ label, content, failed, updated, onReach }: CardGridProps) {
  const list = useRef<HTMLUListElement>(null);
  const sizes = useMediaQuery(phoneQuery) ? phoneMeasures : desktopMeasures;
  const step = sizes.cell + sizes.gap;
  const { width, top, bottom } = useScrollWindow(list, step);
  const { videos, sections, sensors } = content ?? skeletonContent;
  const grid = useMemo(
    () => layout(videos.length, sensors, { ...sizes, width }),
    [videos.length, sensors, sizes, width],
  );
  const drawn = useMemo(() => grid.within(top - step, bottom + step), [grid, top, bottom, step]);
  const last = videos[drawn.videos.to - 1];
  useEffect(() => {
    if (last) onReach(last);
  }, [last, onReach]);
  const { slots, updatedAt, failed: missing } = useSensors(sections, drawn.sensors);
  const asOf = useAsOf(updatedAt ?? updated);

  // Memoized by the names: they hardly ever change, whereas the devices change with every reading.
  const nameKey = [...videos, ...slots.map(({ device }) => device)]
    .map((device) => (device ? nameOf(device) : ''))
    .join('\n');
  const names = useMemo(() => nameKey.split('\n').filter(Boolean), [nameKey]);

  // The focused card stays rendered even when it is scrolled out of sight: otherwise the focus
  // would be lost.
  const [focusedCard, setFocusedCard] = useState<{ kind: 'video' | 'sensor'; index: number; device: Device }>();
  const focusedOutOfView =
    focusedCard && !inSpan(drawn[focusedCard.kind === 'video' ? 'videos' : 'sensors'], focusedCard.index)
      ? focusedCard
      : undefined;

  const total = videos.length + sensors;
  const item = (kind: 'video' | 'sensor', index: number, device: Device | undefined) => (
    <Item
      key={`${kind}-${index}`}
      place={kind === 'video' ? grid.video(index) : grid.sensor(index)}
      position={
        1 + index + ((kind === 'video') === sizes.videosLast ? (kind === 'video' ? sensors : videos.length) : 0)
      }
      of={total}
      onFocus={() => device && setFocusedCard({ kind, index, device })}
      onBlur={() => setFocusedCard(undefined)}
    >
      {device ? (
        <Card key={device.deviceName} device={device} asOf={asOf} large={kind === 'video'} />
      ) : (
        <CardSkeleton />
      )}
    </Item>
  );

  const sensorItems = content
    ? slots.map(({ index, device }) => item('sensor', index, device))
    : indexes(drawn.sensors).map((index) => item('sensor', index, undefined));
  const videoItems = indexes(drawn.videos).map((index) => item('video', index, videos[index]));
  const outOfViewItems = focusedOutOfView
    ? [item(focusedOutOfView.kind, focusedOutOfView.index, focusedOutOfView.device)]
    : [];
  const inOrder = sizes.videosLast ? [...sensorItems, ...videoItems] : [...videoItems, ...sensorItems];
  // One list, so that React keeps the focused card's element when it moves out of sight.
  const items =
    focusedOutOfView && focusedOutOfView.index < drawn.sensors.from
      ? [...outOfViewItems, ...inOrder]
      : [...inOrder, ...outOfViewItems];
  return (
    <SiblingNames value={names}>
      <PageError queries={[...failed, ...missing]} />
      <ul ref={list} className={css.grid} style={{ height: grid.height }} aria-label={label} aria-busy={!content}>
        {items}
      </ul>
    </SiblingNames>
  );
}

function Card({ device, asOf, large }: { device: Device; asOf: number | undefined; large: boolean }) {
  if (device.type === 1) return <SensorCard device={device} asOf={asOf} />;
  return large ? <VideoCard device={device} /> : <StreamlessCard device={device} />;
}

const indexes = ({ from, to }: Span) => Array.from({ length: to - from }, (_, i) => from + i);
const inSpan = ({ from, to }: Span, index: number) => index >= from && index < to;

interface ItemProps {
  place: Place;
  position: number;
  of: number;
  onFocus: () => void;
  onBlur: () => void;
  children: ReactNode;
}

function Item({ place, position, of, onFocus, onBlur, children }: ItemProps) {
  const { top, left, width, height } = place;
  return (
    <li
      className={css.item}
      style={{ width, height, transform: `translate(${left}px, ${top}px)` }}
      aria-posinset={position}
      aria-setsize={of}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      {children}
    </li>
  );
}

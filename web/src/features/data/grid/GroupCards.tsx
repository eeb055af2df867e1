import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { CardSkeleton, SensorCard } from '../card/SensorCard';
import { StreamlessCard } from '../video/StreamlessCard';
import { VideoCard } from '../video/VideoCard';
import css from './CardGrid.module.css';
import { GroupHead } from './GroupHead';
import type { GroupMeasures, PlacedGroup } from './groupLayouts';
import { layout, type Place, type Span } from './layout';
import type { Slot } from './useSensors';

interface GroupCardsProps {
  placed: PlacedGroup;
  /** The cards in view. */
  shown: { videos: Span; sensors: Span } | undefined;
  /** The sensors in view, of all groups. */
  slots: readonly Slot[];
  asOf: number | undefined;
  gap: number;
  videosLast: boolean;
  onFold: (id: number) => void;
}

const nothing: Span = { from: 0, to: 0 };

/** A group's head and those of its cards that are in view. */
export function GroupCards({ placed, shown, slots, asOf, gap, videosLast, onFold }: GroupCardsProps) {
  const { t } = useTranslation();
  const { group, videos, section, folded, start, cards } = placed;
  const sensors = section?.count ?? 0;
  const inView = { video: shown?.videos ?? nothing, sensor: shown?.sensors ?? nothing };
  // The focused card stays rendered even when it is scrolled out of sight: otherwise the focus
  // would be lost.
  const [focusedCard, setFocusedCard] = useState<{ kind: 'video' | 'sensor'; index: number; device: Device }>();
  const outOfView = focusedCard && !inSpan(inView[focusedCard.kind], focusedCard.index) ? focusedCard : undefined;

  const item = (kind: 'video' | 'sensor', index: number, device: Device | undefined) => (
    <Item
      key={`${kind}-${index}`}
      place={kind === 'video' ? cards.video(index) : cards.sensor(index)}
      position={1 + index + ((kind === 'video') === videosLast ? (kind === 'video' ? sensors : videos.length) : 0)}
      of={videos.length + sensors}
      onFocus={() => device && setFocusedCard({ kind, index, device })}
      onBlur={() => setFocusedCard(undefined)}
    >
      {device ? (
        <Card key={device.deviceName} device={device} asOf={asOf} large={kind === 'video'} index={index} />
      ) : (
        <CardSkeleton />
      )}
    </Item>
  );

  const sensorItems = slots.flatMap(({ index, device }) =>
    inSpan(inView.sensor, index - start) ? [item('sensor', index - start, device)] : [],
  );
  const videoItems = indexes(inView.video).map((index) => item('video', index, videos[index]));
  const outOfViewItems = outOfView ? [item(outOfView.kind, outOfView.index, outOfView.device)] : [];
  const inOrder = videosLast ? [...sensorItems, ...videoItems] : [...videoItems, ...sensorItems];
  // One list, so that React keeps the focused card's element when it moves out of sight.
  const items =
    outOfView && outOfView.index < inView.sensor.from
      ? [...outOfViewItems, ...inOrder]
      : [...inOrder, ...outOfViewItems];
  const name = group.id === 0 ? t('home.defaultGroup') : group.groupName;
  return (
    <section aria-label={name} style={{ paddingBottom: gap }}>
      <GroupHead group={group} count={videos.length + sensors} folded={folded} onFold={onFold} />
      {folded ? null : (
        <ul className={css.grid} style={{ height: cards.height }} aria-label={t('data.group.cards', { name })}>
          {items}
        </ul>
      )}
    </section>
  );
}

/** Cards of devices that are loading. */
export function SkeletonCards({ label, measures }: { label: string; measures: GroupMeasures }) {
  const places = layout(0, 9, measures);
  return (
    <ul className={css.grid} style={{ height: places.height }} aria-label={label}>
      {indexes({ from: 0, to: 9 }).map((index) => (
        <Item key={index} place={places.sensor(index)} position={index + 1} of={9}>
          <CardSkeleton />
        </Item>
      ))}
    </ul>
  );
}

interface CardProps {
  device: Device;
  asOf: number | undefined;
  large: boolean;
  index: number;
}

function Card({ device, asOf, large, index }: CardProps) {
  if (device.type === 1) return <SensorCard device={device} asOf={asOf} index={index} />;
  return large ? <VideoCard device={device} /> : <StreamlessCard device={device} />;
}

const indexes = ({ from, to }: Span) => Array.from({ length: to - from }, (_, i) => from + i);
const inSpan = ({ from, to }: Span, index: number) => index >= from && index < to;

interface ItemProps {
  place: Place;
  position: number;
  of: number;
  onFocus?: () => void;
  onBlur?: () => void;
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

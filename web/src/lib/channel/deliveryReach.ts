import { useQuery } from '@tanstack/react-query';
import { type ChannelKind, isSetUp, kindSpecs, kindsOf } from './kinds';
import { type AvailableKinds, availableKindsQuery, type Channel, channelsByIdQuery } from './queries';

/**
 * Where the notifications of a channel kind go: out to recipients, into the server's log only, or
 * nowhere.
 */
export type DeliveryReach = 'out' | 'logged' | 'none';

export function deliveryReachOf(mode: ChannelKind, ways: AvailableKinds): DeliveryReach {
  if (!isSetUp(mode, ways)) return 'none';
  return kindSpecs[mode].isLogged?.(ways) ? 'logged' : 'out';
}

/** The farthest reach of any kind of the given channels. */
export function farthestReach(
  channels: readonly Pick<Channel, 'noticeMode' | 'others'>[],
  ways: AvailableKinds,
): DeliveryReach {
  const reached = new Set(channels.flatMap(kindsOf).map((mode) => deliveryReachOf(mode, ways)));
  return reached.has('out') ? 'out' : reached.has('logged') ? 'logged' : 'none';
}

/**
 * How far the channels of these ids reach; undefined where there are none, or while it is not
 * known.
 */
export function useDeliveryReach(ids: readonly number[]): DeliveryReach | undefined {
  const ways = useQuery(availableKindsQuery()).data;
  const known = useQuery({ ...channelsByIdQuery(), enabled: ids.length > 0 }).data;
  const channels = ids.flatMap((id) => known?.get(id) ?? []);
  // Undefined while any of the channels is not known yet.
  if (!ways || ids.length === 0 || channels.length < ids.length) return undefined;
  return farthestReach(channels, ways);
}

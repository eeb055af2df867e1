import { useQuery } from '@tanstack/react-query';
import { type Channel, channelsByIdQuery, type Mode, modes, type Ways, waysQuery } from './queries';

/** Where what people are told by a way goes: out to them, into the server's log only, or nowhere. */
export type Reach = 'out' | 'logged' | 'none';

export function reachOf(mode: Mode, ways: Ways): Reach {
  if (!ways[mode]) return 'none';
  return mode === 'phoneMessage' && ways.logged ? 'logged' : 'out';
}

/** The farthest that any way of some channels goes. */
export function farthest(channels: readonly Pick<Channel, 'noticeMode'>[], ways: Ways): Reach {
  const all = channels.flatMap(({ noticeMode }) => modes.filter((mode) => noticeMode.includes(mode)));
  const reached = new Set(all.map((mode) => reachOf(mode, ways)));
  return reached.has('out') ? 'out' : reached.has('logged') ? 'logged' : 'none';
}

/** How far the channels of these ids reach; undefined where there are none, or while that is not known. */
export function useReach(ids: readonly number[]): Reach | undefined {
  const ways = useQuery(waysQuery()).data;
  const known = useQuery({ ...channelsByIdQuery(), enabled: ids.length > 0 }).data;
  const channels = ids.flatMap((id) => known?.get(id) ?? []);
  // Of a channel that is not known yet, nothing is said.
  if (!ways || ids.length === 0 || channels.length < ids.length) return undefined;
  return farthest(channels, ways);
}

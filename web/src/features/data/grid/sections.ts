import { type PageFilter, pageSize } from '@/lib/device/queries';
import type { Device, Group } from '@/lib/device/types';
import { foldForSearch } from '@/lib/text/foldForSearch';
import { type Choice, isEverything, isShown, withoutMissingScenes } from '../choice';
import type { OnlineFilter } from '../useChoice';
import type { Span } from './layout';

/** A run of sensors, and of cameras without a picture, in the grid. */
export type Section =
  /** Devices that were picked one by one. */
  | { kind: 'list'; key: string; count: number; devices: readonly Device[] }
  /** A whole group. Only the pages in view are fetched. */
  | {
      kind: 'pages';
      key: string;
      count: number;
      filter: PageFilter;
      /** The length of the server's list, including the devices in `excluded`. */
      total: number;
      /** The first page, which is part of the answer with the groups. */
      first: readonly Device[] | undefined;
      /**
       * Devices of the server's list that are not among the sensors: cameras with a picture, and
       * exceptions.
       */
      excluded: ReadonlySet<string>;
    };

/** A group with the devices of it that are shown; never without any. */
export interface ShownGroup {
  group: Group;
  videos: readonly Device[];
  /** Undefined if only cameras are shown. */
  section: Section | undefined;
}

export interface GridContent {
  groups: readonly ShownGroup[];
  videos: readonly Device[];
  sections: readonly Section[];
  sensors: number;
}

interface ContentSource {
  groups: readonly Group[];
  choice: Choice;
  state: OnlineFilter;
  /** Every camera of the tenant. */
  cameras: readonly Device[];
  /** The devices that the choice names. */
  named: ReadonlyMap<string, Device>;
  /** Cameras without a picture, which are placed among the sensors of their group. */
  streamless: ReadonlySet<string>;
  /** Only devices with this text in their names or serial; the groups count only those. */
  text?: string;
}

/** Whether a device is found by a text, as the server finds it. */
function isFound({ deviceName, noteName, serial }: Device, text: string | undefined): boolean {
  const folded = foldForSearch(text ?? '');
  return folded === '' || [deviceName, noteName, serial].some((name) => foldForSearch(name).includes(folded));
}

/** The filter as the API expects it. */
export function onlineStateOf(state: OnlineFilter): 0 | 1 | undefined {
  if (state === undefined) return undefined;
  return state === 'online' ? 1 : 0;
}

/** The cameras that are shown. */
export function visibleCameras({
  groups,
  choice,
  state,
  cameras,
  text,
}: Omit<ContentSource, 'named' | 'streamless'>): Device[] {
  const wanted = onlineStateOf(state);
  const present = withoutMissingScenes(choice, groups);
  return cameras.filter(
    (camera) =>
      (wanted === undefined || camera.onlineState === wanted) && isFound(camera, text) && isShown(present, camera),
  );
}

/** The grid's content, in the order of the groups. */
export function gridContentOf({
  groups,
  choice: given,
  state,
  cameras: all,
  named,
  streamless,
  text,
}: ContentSource): GridContent {
  const choice = withoutMissingScenes(given, groups);
  const wanted = onlineStateOf(state);
  const inState = (device: Device) => (wanted === undefined || device.onlineState === wanted) && isFound(device, text);
  const cameras = all.filter(({ deviceName }) => !streamless.has(deviceName));
  const isSmall = ({ type, deviceName }: Device) => type === 1 || streamless.has(deviceName);
  const allDevices = isEverything(choice);

  const sections = groups.flatMap((group): Section[] => {
    const { id } = group;
    const key = `${id}`;
    const inGroup = [...named.values()].filter((device) => device.groupId === id && isSmall(device) && inState(device));
    if (!allDevices && !choice.scenes.has(id)) {
      const devices = inGroup.filter(({ deviceName }) => choice.devices.has(deviceName));
      return devices.length === 0 ? [] : [{ kind: 'list', key, count: devices.length, devices }];
    }
    const total = wanted === undefined ? group.deviceCount : countInState(group, wanted);
    const exceptions = inGroup.filter(({ deviceName }) => !allDevices && choice.except.has(deviceName));
    const ownCameras = cameras.filter(({ groupId }) => groupId === id).filter(inState);
    const excluded = new Set([...ownCameras, ...exceptions].map(({ deviceName }) => deviceName));
    const count = Math.max(0, total - excluded.size);
    const filter = {
      groupId: id,
      ...(wanted === undefined ? {} : { onlineState: wanted }),
      ...(text ? { deviceName: text } : {}),
    };
    const first = wanted === undefined ? group.deviceList : undefined;
    return count === 0 ? [] : [{ kind: 'pages', key, count, filter, total, first, excluded }];
  });

  const videos = visibleCameras({ groups, choice, state, cameras, text });
  const shown = groups.map((group) => ({
    group,
    videos: videos.filter(({ groupId }) => groupId === group.id),
    section: sections.find(({ key }) => key === `${group.id}`),
  }));
  return {
    groups: shown.filter(({ videos: own, section }) => own.length > 0 || section),
    videos,
    sections,
    sensors: sections.reduce((sum, { count }) => sum + count, 0),
  };
}

function countInState({ deviceCount, onlineCount }: Group, wanted: 0 | 1): number {
  return wanted === 1 ? onlineCount : deviceCount - onlineCount;
}

/** The part of each section that lies within a range of the sensors. */
export function partsOf(
  sections: readonly Section[],
  { from, to }: Span,
): { section: Section; start: number; part: Span }[] {
  let start = 0;
  return sections.flatMap((section) => {
    const sectionStart = start;
    start += section.count;
    const part = { from: Math.max(0, from - sectionStart), to: Math.min(section.count, to - sectionStart) };
    return part.from < part.to ? [{ section, start: sectionStart, part }] : [];
  });
}

/**
 * The pages to fetch for a part of a section. If some devices of the server's list are excluded,
 * their positions in the pages before are unknown, so those pages are needed too.
 */
export function pagesFor(section: Section, { from, to }: Span): number[] {
  if (section.kind === 'list' || from >= to) return [];
  const { excluded, total, first } = section;
  const last = Math.min(to + excluded.size, total) - 1;
  const begin = excluded.size === 0 ? Math.floor(from / pageSize) : 0;
  const pages: number[] = [];
  for (let page = begin; page * pageSize <= last; page += 1) if (page > 0 || !first) pages.push(page + 1);
  return pages;
}

/** The devices of a part of a section; undefined for those not fetched yet. */
export function devicesOf(
  section: Section,
  { from, to }: Span,
  page: (pageNo: number) => readonly Device[] | undefined,
): (Device | undefined)[] {
  if (section.kind === 'list') return section.devices.slice(from, to);
  const { excluded, first } = section;
  const pageAt = (index: number) => (index === 0 && first ? first : page(index + 1));
  if (excluded.size === 0) {
    return Array.from({ length: to - from }, (_, i) => {
      const slot = from + i;
      return pageAt(Math.floor(slot / pageSize))?.[slot % pageSize];
    });
  }
  const sensors: Device[] = [];
  for (let index = 0; sensors.length < to; index += 1) {
    const devices = pageAt(index);
    if (!devices || devices.length === 0) break;
    sensors.push(...devices.filter(({ deviceName }) => !excluded.has(deviceName)));
  }
  return Array.from({ length: to - from }, (_, i) => sensors[from + i]);
}

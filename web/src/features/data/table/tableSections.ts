import { type Device, nameOf } from '@/lib/device/types';
import type { GridContent, Section, ShownGroup } from '../grid/sections';

/** The order of the table's rows: by name, or by the latest value of a property. */
export interface Order {
  sign: string;
  descending: boolean;
}

/** A run of rows, below a group's head if it has a group. */
export interface Block {
  key: string;
  shown: ShownGroup | undefined;
  section: Section;
}

/**
 * The table's runs of rows: a group each, or one for all. All rows in one run are possible if
 * everything is shown or only single devices, since the server answers one group or all of them.
 */
export function blocksOf(
  content: GridContent,
  { order, flat, everything }: { order: Order | undefined; flat: boolean; everything: boolean },
): Block[] {
  const groups = content.groups.flatMap((shown) => (shown.section ? [{ shown, section: shown.section }] : []));
  if (!flat || !canBeFlat(content, everything)) {
    return groups.map(({ shown, section }) => ({ key: section.key, shown, section: ordered(section, order) }));
  }
  const sections = groups.map(({ section }) => section);
  const devices = sections.flatMap((section) => (section.kind === 'list' ? section.devices : []));
  const whole = sections.find((section) => section.kind === 'pages');
  const count = sections.reduce((sum, section) => sum + section.count, 0);
  if (count === 0) return [];
  if (!whole) {
    const section: Section = { kind: 'list', key: 'all', count, devices };
    return [{ key: 'all', shown: undefined, section: ordered(section, order) }];
  }
  const { groupId: _, ...filter } = whole.filter;
  const section: Section = { ...whole, key: 'all', count, total: count, filter, first: undefined, excluded: new Set() };
  return [{ key: 'all', shown: undefined, section: ordered(section, order) }];
}

export function canBeFlat({ sections }: GridContent, everything: boolean): boolean {
  return everything || sections.every(({ kind }) => kind === 'list');
}

function ordered(section: Section, order: Order | undefined): Section {
  if (!order) return section;
  const { sign, descending } = order;
  if (section.kind === 'pages') {
    return {
      ...section,
      first: undefined,
      filter: { ...section.filter, sortSign: sign, ...(descending ? { descending } : {}) },
    };
  }
  const turn = descending ? -1 : 1;
  const devices = [...section.devices].sort((a, b) => {
    const [first, second] = [numberOf(a, sign), numberOf(b, sign)];
    if (first === undefined || second === undefined) return first === second ? 0 : first === undefined ? 1 : -1;
    return turn * (first - second) || (nameOf(a) < nameOf(b) ? -1 : 1);
  });
  return { ...section, devices };
}

function numberOf({ lastData }: Device, sign: string): number | undefined {
  const value = lastData[0]?.[sign]?.value;
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : undefined;
}

import type { Span } from '../grid/layout';
import type { Block } from './tableSections';

export interface RowMeasures {
  row: number;
  /** The height of a group's head. */
  head: number;
}

/** A group's head, or a device by its position among all of the table. */
export type TableRow =
  | { kind: 'head'; block: Block; index: number }
  | { kind: 'device'; at: number; groupId: number | undefined; index: number };

export interface RowWindow {
  rows: TableRow[];
  /** The devices among the rows. */
  devices: Span;
  /** The heights of the rows before and after, in pixels. */
  before: number;
  after: number;
  /** How many rows there are in all, heads included. */
  count: number;
}

/** The rows that are at least partly between two heights of the table's body. */
export function rowWindow(
  blocks: readonly Block[],
  top: number,
  bottom: number,
  { row: rowHeight, head: headHeight }: RowMeasures,
): RowWindow {
  const rows: TableRow[] = [];
  let height = 0;
  let index = 0;
  let first = 0;
  let before: number | undefined;
  let end = 0;
  let devices: Span | undefined;
  for (const block of blocks) {
    if (block.shown) {
      if (height + headHeight > top && height < bottom) {
        before ??= height;
        rows.push({ kind: 'head', block, index });
        end = height + headHeight;
      }
      height += headHeight;
      index += 1;
    }
    const { count } = block.section;
    const from = Math.min(count, Math.max(0, Math.floor((top - height) / rowHeight)));
    const to = Math.min(count, Math.max(0, Math.ceil((bottom - height) / rowHeight)));
    if (from < to) {
      before ??= height + from * rowHeight;
      end = height + to * rowHeight;
      devices = { from: devices?.from ?? first + from, to: first + to };
      for (let at = from; at < to; at += 1) {
        rows.push({ kind: 'device', at: first + at, groupId: block.shown?.group.id, index: index + at });
      }
    }
    height += count * rowHeight;
    index += count;
    first += count;
  }
  return { rows, devices: devices ?? { from: 0, to: 0 }, before: before ?? 0, after: height - end, count: index };
}

/** How many devices one call asks lines for. */
export const lineBlock = 25;

/** The span in whole blocks, so that scrolling by a row asks for nothing anew. */
export function inBlocks({ from, to }: Span, count: number): Span {
  if (from >= to) return { from, to };
  return {
    from: Math.floor(from / lineBlock) * lineBlock,
    to: Math.min(count, Math.ceil(to / lineBlock) * lineBlock),
  };
}

import { rowHeight } from './labelPositions';

/**
 * The heights of labels in the gutter at the ends of lines: each as near to its wanted height as
 * the others allow, none on another, and in the same order as the lines' ends. If there is not
 * room for all, they share the box evenly. In pixels; the heights are those of the middles.
 */
export function spreadLabels(
  wanted: readonly number[],
  { top, height }: { top: number; height: number },
  row: number = rowHeight,
): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const gap = order.length > 1 ? Math.min(row, height / (order.length - 1)) : row;
  // Labels that touch form a group, which moves as one to the mean of what its members want.
  const groups: { members: number[]; start: number }[] = [];
  const clamp = (start: number, count: number) => Math.max(top, Math.min(start, top + height - (count - 1) * gap));
  for (const index of order) {
    let group = { members: [index], start: clamp(wanted[index] ?? 0, 1) };
    for (let before = groups.at(-1); before; before = groups.at(-1)) {
      if (before.start + before.members.length * gap <= group.start) break;
      groups.pop();
      const members = [...before.members, ...group.members];
      const mean =
        members.reduce((sum, member, place) => sum + (wanted[member] ?? 0) - place * gap, 0) / members.length;
      group = { members, start: clamp(mean, members.length) };
    }
    groups.push(group);
  }
  const heights = [...wanted];
  for (const { members, start } of groups) {
    members.forEach((member, place) => {
      heights[member] = start + place * gap;
    });
  }
  return heights;
}

import type { Row } from './rows';

/** The effect of a key on the tree: moves to a row, opens or closes one, or runs the row's action. */
export type TreeAction = { kind: 'move'; to: number } | { kind: 'toggle' | 'act'; row: number } | null;

/** Rows that PageUp and PageDown pass. */
const page = 10;

/**
 * As in the tree pattern of the ARIA practices: up, down, home and end move, right opens or enters,
 * left closes or leaves.
 */
export function treeAction(rows: readonly Row[], at: number, key: string): TreeAction {
  const row = rows[at];
  if (!row)
    return rows.length > 0 && ['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(key) ? { kind: 'move', to: 0 } : null;
  const move = (to: number): TreeAction => ({ kind: 'move', to: Math.min(rows.length - 1, Math.max(0, to)) });
  switch (key) {
    case 'ArrowDown':
      return move(at + 1);
    case 'ArrowUp':
      return move(at - 1);
    case 'PageDown':
      return move(at + page);
    case 'PageUp':
      return move(at - page);
    case 'Home':
      return move(0);
    case 'End':
      return move(rows.length - 1);
    case 'ArrowRight':
      if (row.kind !== 'group') return null;
      return row.open ? move(at + 1) : { kind: 'toggle', row: at };
    case 'ArrowLeft': {
      if (row.kind === 'group') return row.open ? { kind: 'toggle', row: at } : null;
      const head = rows.slice(0, at).findLastIndex(({ kind }) => kind === 'group');
      return head < 0 ? null : move(head);
    }
    case 'Enter':
    case ' ':
      return row.kind === 'none' ? null : { kind: row.kind === 'group' ? 'toggle' : 'act', row: at };
    default:
      return null;
  }
}

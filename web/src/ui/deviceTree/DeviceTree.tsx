import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import css from './DeviceTree.module.css';
import { DeviceRow, GroupRow, MoreRow, NoneRow } from './Rows';
import type { Row } from './rows';
import type { Tick } from './TickMark';
import { treeAction } from './treeKeys';
import { rowOffsets, scrollFor, useVirtualRows } from './virtualRows';

/** Adds ticks to the tree: for devices, and for whole groups unless `of` returns undefined for them. */
export interface Ticks {
  of: (row: TickRow) => Tick | undefined;
  toggle: (row: TickRow) => void;
}

export type TickRow = Extract<Row, { kind: 'group' | 'device' }>;

interface DeviceTreeProps {
  label: string;
  rows: readonly Row[];
  /** The deviceName of the one selection that list, map and panels share. */
  selected?: string;
  /** Not called in a tree with ticks. */
  onSelect?: (deviceName: string) => void;
  ticks?: Ticks;
  onToggle: (groupId: number) => void;
  onMore: (source: number | 'search') => void;
}

const rowId = (key: string) => `device-list-${key}`;

/**
 * Renders only the rows in view, so ten thousand scroll like ten. The frame keeps the focus and
 * names its active row (aria-activedescendant), which is therefore always rendered.
 */
export function DeviceTree({ label, rows, selected, onSelect, ticks, onToggle, onMore }: DeviceTreeProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery(phoneQuery);
  const offsets = useMemo(() => rowOffsets(rows, (row) => heightOf(row, isPhone)), [rows, isPhone]);
  const { from, to } = useVirtualRows(frame, offsets);

  const selectedAt = rows.findIndex((row) => row.kind === 'device' && row.device.deviceName === selected);
  const [activeKey, setActiveKey] = useState<string>();
  const activeAt = rows.findIndex(({ key }) => key === activeKey);
  const active = activeAt >= 0 ? activeAt : Math.max(0, selectedAt);

  const show = (row: number) => {
    const element = frame.current;
    const top = element ? scrollFor(offsets, row, element.scrollTop, element.clientHeight) : null;
    if (element && top !== null) element.scrollTop = top;
  };

  // A device selected on the map or by the address is scrolled into view once, after the page has
  // been laid out; later scrolling is left alone.
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (selectedAt < 0 || shown.current === selected) return;
    shown.current = selected;
    setActiveKey(rows[selectedAt]?.key);
    show(selectedAt);
  });

  const act = (row: Row) => {
    setActiveKey(row.key);
    if (row.kind === 'group') onToggle(row.group.id);
    if (row.kind === 'more') onMore(row.source);
    if (row.kind !== 'device') return;
    if (ticks) return ticks.toggle(row);
    shown.current = row.device.deviceName;
    onSelect?.(row.device.deviceName);
  };

  const tick = (row: TickRow) => {
    setActiveKey(row.key);
    ticks?.toggle(row);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const current = rows[active];
    if (
      event.key === ' ' &&
      (current?.kind === 'group' || current?.kind === 'device') &&
      ticks?.of(current) !== undefined
    ) {
      event.preventDefault();
      return tick(current);
    }
    const action = treeAction(rows, active, event.key);
    if (!action) return;
    event.preventDefault();
    const row = rows[action.kind === 'move' ? action.to : action.row];
    if (!row) return;
    if (action.kind !== 'move') return act(row);
    setActiveKey(row.key);
    show(action.to);
  };

  // The rows of a closed group are gone: the active row falls back to the selection, and the scroll
  // position must not exceed the end.
  useEffect(() => {
    const element = frame.current;
    if (element && element.scrollTop > (offsets.at(-1) ?? 0)) element.scrollTop = 0;
  }, [offsets]);

  const drawn: number[] = [];
  if (active < from && active < rows.length) drawn.push(active);
  for (let i = from; i < to; i++) drawn.push(i);
  if (active >= to && active < rows.length) drawn.push(active);

  const activeRow = rows[active];
  return (
    <div
      ref={frame}
      className={css.frame}
      role="tree"
      aria-label={label}
      aria-activedescendant={activeRow ? rowId(activeRow.key) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className={css.content} role="presentation" style={{ height: offsets.at(-1) }}>
        {drawn.map((i) => {
          const row = rows[i];
          return row ? (
            <TreeRow
              key={row.key}
              row={row}
              top={offsets[i] ?? 0}
              height={heightOf(row, isPhone)}
              active={i === active}
              selected={i === selectedAt}
              ticked={ticks && (row.kind === 'group' || row.kind === 'device') ? ticks.of(row) : undefined}
              onAct={act}
              onTick={tick}
            />
          ) : null;
        })}
      </div>
    </div>
  );
}

function heightOf(row: Row, isPhone: boolean): number {
  if (row.kind === 'group') return isPhone ? 44 : 36;
  return isPhone ? 48 : 36;
}

interface TreeRowProps {
  row: Row;
  top: number;
  height: number;
  active: boolean;
  selected: boolean;
  /** Undefined in a tree without ticks. */
  ticked: Tick | undefined;
  onAct: (row: Row) => void;
  onTick: (row: TickRow) => void;
}

function TreeRow({ row, top, height, active, selected, ticked, onAct, onTick }: TreeRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree keeps the focus and names its active row
    <div
      id={rowId(row.key)}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.of}
      aria-expanded={row.kind === 'group' ? row.open : undefined}
      aria-selected={row.kind === 'device' && ticked === undefined ? selected : undefined}
      aria-checked={ticked}
      className={`${css.row} ${active ? css.active : ''} ${selected ? css.selected : ''} ${css[row.kind]}`}
      style={{ top, height }}
      onClick={() => onAct(row)}
    >
      {row.kind === 'group' ? (
        <GroupRow
          group={row.group}
          open={row.open}
          ticked={ticked}
          onTick={ticked === undefined ? undefined : () => onTick(row)}
        />
      ) : null}
      {row.kind === 'device' ? <DeviceRow device={row.device} selected={selected} ticked={ticked} /> : null}
      {row.kind === 'more' ? <MoreRow left={row.left} state={row.state} /> : null}
      {row.kind === 'none' ? <NoneRow /> : null}
    </div>
  );
}

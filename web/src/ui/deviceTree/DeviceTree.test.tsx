import { act, fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { Device, Group } from '@/lib/device/types';
import { noteServerTime } from '@/lib/format/clock';
import { setWidth } from '@/test/mediaQueries';
import { device, group, noon, weather } from '@/test/telemetryServer';
import { DeviceTree } from './DeviceTree';
import { groupRows, type Row } from './rows';

const groupsFixture = (count: number): Group[] => [
  group({ id: 0, groupName: '', deviceCount: 3, onlineCount: 2, deviceList: [] }),
  group({
    id: 1,
    deviceList: Array.from({ length: count }, (_, i) =>
      device({ id: i + 1, deviceName: `WS-${i + 1}`, noteName: `Mast ${i + 1}` }),
    ),
  }),
];

function draw(rows: readonly Row[], selected?: string) {
  const calls = { onSelect: vi.fn(), onToggle: vi.fn(), onMore: vi.fn() };
  const tree = (next: readonly Row[], chosen?: string) => (
    <DeviceTree label="Devices" rows={next} selected={chosen} {...calls} />
  );
  const drawn = render(tree(rows, selected));
  return { ...calls, show: (next: readonly Row[], chosen?: string) => drawn.rerender(tree(next, chosen)) };
}

const rowsOf = (groups: Group[]) => groupRows(groups, ({ id }) => id > 0, new Map(), undefined);
const active = () => document.getElementById(screen.getByRole('tree').getAttribute('aria-activedescendant') ?? '');
const withOne = (change: Partial<Device>) =>
  rowsOf([group({ deviceList: [device({ noteName: 'The mast', ...change })] })]);

describe('the device tree', () => {
  it('has the tree role and a name', () => {
    draw(rowsOf(groupsFixture(3)), 'WS-2');
    const [closed, opened, , second] = screen.getAllByRole('treeitem');
    expect(screen.getByRole('tree', { name: 'Devices' })).toHaveAttribute('tabindex', '0');
    expect(closed).toHaveAttribute('aria-expanded', 'false');
    expect(closed).toHaveAccessibleName(/Default group 2 of 3 online/);
    expect(opened).toHaveAttribute('aria-expanded', 'true');
    expect(opened).toHaveAttribute('aria-level', '1');
    expect(second).toHaveAttribute('aria-level', '2');
    expect(second).toHaveAttribute('aria-posinset', '2');
    expect(second).toHaveAttribute('aria-setsize', '3');
    expect(second).toHaveAttribute('aria-selected', 'true');
    expect(second).toHaveAccessibleName(/Online Mast 2 3\.4\s°C/);
    expect(active()).toBe(second);
  });

  it('supports moving, opening and selecting by keyboard', async () => {
    const { onSelect, onToggle } = draw(rowsOf(groupsFixture(3)));
    const user = userEvent.setup();
    await user.tab();
    expect(screen.getByRole('tree')).toHaveFocus();
    expect(active()).toHaveAccessibleName(/Default group/);
    await user.keyboard('{ArrowRight}');
    expect(onToggle).toHaveBeenCalledExactlyOnceWith(0);
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
    expect(active()).toHaveAccessibleName(/Mast 2/);
    expect(onSelect).not.toHaveBeenCalled();
    await user.keyboard('{Enter}');
    expect(onSelect).toHaveBeenCalledExactlyOnceWith('WS-2');
    await user.keyboard('{ArrowLeft}');
    expect(active()).toHaveAccessibleName(/North orchard/);
    await user.keyboard('{ArrowLeft}');
    expect(onToggle).toHaveBeenLastCalledWith(1);
    await user.keyboard('{End}');
    expect(active()).toHaveAccessibleName(/Mast 3/);
  });

  it('leaves keys with a modifier to the browser', () => {
    draw(rowsOf(groupsFixture(3)));
    expect(fireEvent.keyDown(screen.getByRole('tree'), { key: 'ArrowLeft', altKey: true })).toBe(true);
    expect(fireEvent.keyDown(screen.getByRole('tree'), { key: 'ArrowDown' })).toBe(false);
  });

  it('supports selecting by pointer, and continues from there', async () => {
    const { onSelect } = draw(rowsOf(groupsFixture(3)));
    const user = userEvent.setup();
    await user.click(screen.getByRole('treeitem', { name: /Mast 2/ }));
    expect(onSelect).toHaveBeenCalledExactlyOnceWith('WS-2');
    fireEvent.keyDown(screen.getByRole('tree'), { key: 'ArrowDown' });
    expect(active()).toHaveAccessibleName(/Mast 3/);
  });

  it('renders few of ten thousand rows, and always the active one', () => {
    draw(rowsOf(groupsFixture(10_000)));
    expect(screen.getAllByRole('treeitem').length).toBeLessThan(60);
    fireEvent.keyDown(screen.getByRole('tree'), { key: 'End' });
    expect(active()).toHaveAccessibleName(/Mast 10000/);
    expect(active()).toHaveAttribute('aria-setsize', '10000');
  });

  it('renders other rows when scrolled', () => {
    draw(rowsOf(groupsFixture(10_000)));
    const tree = screen.getByRole('tree');
    tree.scrollTop = 36 * 5000;
    act(() => void tree.dispatchEvent(new Event('scroll')));
    expect(screen.getByRole('treeitem', { name: /Mast 5001 / })).toBeInTheDocument();
    expect(screen.queryByRole('treeitem', { name: /Mast 20 / })).toBeNull();
  });

  it('scrolls once to a device that was selected elsewhere', () => {
    const rows = rowsOf(groupsFixture(2000));
    const { show } = draw(rows, 'WS-1');
    const tree = screen.getByRole('tree');
    Object.defineProperty(tree, 'clientHeight', { value: 600 });
    show(rows, 'WS-1500');
    expect(tree.scrollTop).toBe(36 * 1502 - 600);
    // After manual scrolling, its position stays while readings arrive.
    tree.scrollTop = 0;
    show(rowsOf(groupsFixture(2000)), 'WS-1500');
    expect(tree.scrollTop).toBe(0);
  });

  it('requests the next hundred', async () => {
    const { onMore } = draw(rowsOf([group({ deviceCount: 250, deviceList: [device()] })]));
    await userEvent.setup().click(screen.getByRole('treeitem', { name: 'Show 100 more of 249' }));
    expect(onMore).toHaveBeenCalledExactlyOnceWith(1);
  });

  it('has higher rows on a phone', () => {
    setWidth(390);
    draw(rowsOf(groupsFixture(3)));
    expect(screen.getByRole('treeitem', { name: /Mast 1/ })).toHaveStyle({ height: '48px', top: '88px' });
  });
});

describe('a row', () => {
  it('shows mark, name, main reading and age', () => {
    noteServerTime(noon);
    draw(withOne({ lastData: [weather(3.4, noon - 8000)] }));
    const row = screen.getByRole('treeitem', { name: /The mast/ });
    expect(within(row).getByText('Online')).toBeInTheDocument();
    expect(within(row).getByText('3.4 °C')).toBeVisible();
    expect(within(row).getByText('8 s')).toBeVisible();
  });

  it('shows the device name when there is no remark name', () => {
    draw(withOne({ noteName: '', deviceName: 'WS-0417' }));
    expect(screen.getByRole('treeitem', { name: /WS-0417/ })).toBeInTheDocument();
  });

  it('shows the whole name on hover', () => {
    const name = 'A remarkably long remark name for the probe beside the old well';
    draw(withOne({ noteName: name, deviceName: 'SP-1' }));
    expect(screen.getByText(name)).toHaveAttribute('title', `${name} (SP-1)`);
  });

  it('shows since when the device is offline, instead of an old reading', () => {
    noteServerTime(noon);
    // Since its last contact, like everything that shows the last contact; not since an hour later,
    // when the server noticed it.
    const heard = { lastContact: noon - 3 * 3_600_000, offlineTime: noon - 2 * 3_600_000, offlineAfter: 3_600_000 };
    draw(withOne({ onlineState: 0, ...heard }));
    expect(screen.getByText('Offline 3 h')).toBeVisible();
    expect(screen.queryByText('3.4 °C')).toBeNull();
  });

  it.each([
    [noon - 30 * 3_600_000, 'Offline since yesterday'],
    [noon - 80 * 3_600_000, 'Offline since Nov 18'],
    [undefined, 'No contact yet'],
  ])('offline since %s reads %s', (offlineTime, words) => {
    noteServerTime(noon);
    draw(withOne({ onlineState: 0, offlineTime, lastContact: undefined, lastData: [] }));
    expect(screen.getByText(words)).toBeVisible();
  });

  it.each([
    [0, 'General'],
    [1, 'Important'],
    [2, 'Serious'],
  ] as const)('with an alarm of level %i says %s in place of the age', (alarmLevel, word) => {
    draw(withOne({ alarmLevel }));
    expect(screen.getByText(word)).toBeVisible();
    expect(screen.getByText('Pending alarm')).toBeInTheDocument();
    expect(screen.getByTitle('Online')).toHaveClass('online');
  });

  it('of a camera shows that it is live', () => {
    draw(withOne({ type: 2, videoKind: 'hls' }));
    expect(screen.getByText('live')).toBeVisible();
    expect(screen.queryByText('3.4 °C')).toBeNull();
  });

  it('of a camera without a picture does not show that it is live', () => {
    draw(withOne({ type: 2, videoKind: 'none' }));
    expect(screen.queryByText('live')).toBeNull();
  });

  it('of a forbidden scene says so', () => {
    draw(rowsOf([group({ groupStatus: 2, deviceList: [device()] })]));
    expect(screen.getByRole('treeitem', { name: /North orchard.*Forbidden/ })).toBeInTheDocument();
  });
});

describe('a tree with ticks', () => {
  const tickable = () => {
    const toggle = vi.fn();
    const onToggle = vi.fn();
    const of = (row: { kind: string; key: string }) =>
      row.kind === 'group' ? ('mixed' as const) : row.key === 'device-2';
    render(
      <DeviceTree
        label="Devices"
        rows={rowsOf(groupsFixture(3))}
        ticks={{ of, toggle }}
        onToggle={onToggle}
        onMore={vi.fn()}
      />,
    );
    return { toggle, onToggle };
  };

  it('shows what is ticked, fully, partly or not, and selects nothing', () => {
    tickable();
    const [, opened, first, second] = screen.getAllByRole('treeitem');
    expect(opened).toHaveAttribute('aria-checked', 'mixed');
    expect(first).toHaveAttribute('aria-checked', 'false');
    expect(second).toHaveAttribute('aria-checked', 'true');
    expect(second).not.toHaveAttribute('aria-selected');
    // There is no room for the reading beside the box.
    expect(second).not.toHaveTextContent('3.4');
  });

  it('ticks a device by a click anywhere on it, a group only by its box', async () => {
    const { toggle, onToggle } = tickable();
    const [, opened, first] = screen.getAllByRole('treeitem');
    await userEvent.click(first as Element);
    expect(toggle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ key: 'device-1' }));
    await userEvent.click(opened as Element);
    expect(onToggle).toHaveBeenCalledExactlyOnceWith(1);
    const box = within(opened as HTMLElement).getByText('North orchard').previousElementSibling;
    await userEvent.click(box as Element);
    expect(toggle).toHaveBeenLastCalledWith(expect.objectContaining({ key: 'group-1' }));
    expect(onToggle).toHaveBeenCalledOnce();
  });

  it('ticks with space and opens with Enter', async () => {
    const { toggle, onToggle } = tickable();
    act(() => screen.getByRole('tree').focus());
    await userEvent.keyboard('{ArrowDown} ');
    expect(toggle).toHaveBeenLastCalledWith(expect.objectContaining({ key: 'group-1' }));
    expect(onToggle).not.toHaveBeenCalled();
    await userEvent.keyboard('{Enter}');
    expect(onToggle).toHaveBeenCalledExactlyOnceWith(1);
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(toggle).toHaveBeenLastCalledWith(expect.objectContaining({ key: 'device-1' }));
  });
});

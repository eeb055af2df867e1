import type { Column } from '../data/column';

/**
 * Device by device and property by property, in the order in which each first comes; the year
 * before stands right of its property.
 */
export function sortedColumns(columns: readonly Column[]): Column[] {
  const orders = (keyOf: (column: Column) => string) => {
    const keys = [...new Set(columns.map(keyOf))];
    return new Map(keys.map((key, index) => [key, index]));
  };
  const devices = orders(({ deviceName }) => deviceName);
  const signs = orders(({ sign }) => sign);
  const rank = (column: Column) => [
    devices.get(column.deviceName) ?? 0,
    signs.get(column.sign) ?? 0,
    Number(column.compared),
  ];
  return [...columns].sort((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    const differing = first.findIndex((value, index) => value !== second[index]);
    return (first[differing] ?? 0) - (second[differing] ?? 0);
  });
}

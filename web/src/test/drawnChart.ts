import type { ChartOption } from '@/ui/chart/engine';

const drawn = { option: undefined as unknown };

/** Stands in for the chart, since jsdom has no canvas: the tests look at the option that was to be drawn. */
export function Chart({ option }: { option: unknown }) {
  drawn.option = option;
  return null;
}

/** The points of each line. */
export const drawnLines = () =>
  (drawn.option as { series: { data: [number, number][] }[] }).series.map(({ data }) => data);
export const drawnOption = () => drawn.option as ChartOption & { xAxis: { min: number; max: number }[] };

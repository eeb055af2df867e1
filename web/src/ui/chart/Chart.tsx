import { useEffect, useRef } from 'react';
import type { ChartOption } from './engine';

interface ChartProps {
  /** The whole drawing; a new object redraws it. */
  option: ChartOption;
  /** Frequently changing parts, such as the ends of the time axis, which are merged into the drawing. */
  frame?: ChartOption;
  /** In pixels; the width is that of the container. */
  height: number;
  /** Called after each complete drawing. */
  onDrawn?: () => void;
  /** Called when the engine could not be fetched. */
  onFailed?: (error: unknown) => void;
}

/**
 * Prefetches the engine while the data is on its way. A failure is reported when something is to be
 * drawn.
 */
export function prepareChart(): void {
  import('./engine').catch(() => undefined);
}

type Instance = ReturnType<typeof import('./engine')['init']>;

/**
 * ECharts on a canvas, fetched when the first chart is shown. Only a picture: the caller describes
 * it in words.
 */
export function Chart({ option, frame, height, onDrawn, onFailed }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Instance | null>(null);
  // What to draw once the engine is there, and the callbacks.
  const wanted = useRef({ option, frame, onDrawn, onFailed });
  wanted.current = { option, frame, onDrawn, onFailed };

  useEffect(() => {
    let gone = false;
    let observer: ResizeObserver | undefined;
    import('./engine').then(
      ({ init }) => {
        const element = place.current;
        if (gone || !element) return;
        const instance = init(element, null, { renderer: 'canvas' });
        chart.current = instance;
        instance.on('finished', () => wanted.current.onDrawn?.());
        draw(instance, wanted.current.option, wanted.current.frame);
        observer = new ResizeObserver(() => instance.resize());
        observer.observe(element);
      },
      (error: unknown) => {
        if (!gone) wanted.current.onFailed?.(error);
      },
    );
    return () => {
      gone = true;
      observer?.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, []);

  // The frame belongs to the current drawing: a new drawing includes it.
  useEffect(() => {
    if (chart.current) draw(chart.current, option, wanted.current.frame);
  }, [option]);
  useEffect(() => {
    if (frame) chart.current?.setOption(frame, { lazyUpdate: true, silent: true });
  }, [frame]);

  return <div ref={place} style={{ height }} aria-hidden="true" />;
}

function draw(chart: Instance, option: ChartOption, frame: ChartOption | undefined): void {
  chart.setOption(option, { notMerge: true });
  if (frame) chart.setOption(frame, { lazyUpdate: true });
}

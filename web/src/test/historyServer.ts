import { HttpResponse } from 'msw';
import type { components } from '@/api/schema.gen';
import { ok, onGet } from './server';
import { device } from './telemetryServer';

type TslProperty = components['schemas']['TslProperty'];
type Value = number | boolean | string;

const minute = 60_000;
const property = (
  identifier: string,
  yeuName: string,
  elementUnit: string,
  change: Partial<TslProperty> = {},
): TslProperty => ({
  identifier,
  functionName: identifier,
  yeuName,
  yeuUrl: '',
  elementUnit,
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  precision: 1,
  ...change,
});

export const mast = [
  property('airTemperature', 'Air temperature', '°C'),
  property('airHumidity', 'Relative humidity', '%'),
  property('rainfall', 'Rainfall', 'mm'),
  property('windDirection', 'Wind direction', '°', { precision: 0 }),
  property('pump', 'Pump', '', { dataType: 'boolean' }),
  property('note', 'Note', '', { dataType: 'text' }),
];

/** A mast's reading at a minute; the pump runs in the first half of each hour. */
function readAt(id: string, at: number): Value {
  const minutes = at / minute;
  switch (id) {
    case 'rainfall':
      return minutes % 60 === 0 ? 1 : 0;
    case 'pump':
      return minutes % 60 < 30;
    case 'note':
      return minutes % 1440 < 720 ? 'morning' : 'evening';
    default:
      return Math.round(100 * Math.sin(minutes / 7)) / 10;
  }
}

/**
 * Thins out like the server: each bucket's minimum and maximum of numbers, the changes of other
 * values.
 */
function thin(list: { time: number; value: Value }[], from: number, width: number, points: number) {
  if (typeof list[0]?.value !== 'number') return list.filter(({ value }, at) => value !== list[at - 1]?.value);
  if (list.length <= points) return list;
  const buckets = new Map<number, typeof list>();
  for (const point of list) {
    const bucket = Math.floor((point.time - from) / width);
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), point]);
  }
  return [...buckets.values()].flatMap((bucket) => {
    const sorted = bucket.toSorted((a, b) => Number(a.value) - Number(b.value));
    const kept = new Set([sorted[0], sorted.at(-1)]);
    return bucket.filter((point) => kept.has(point));
  });
}

/** The hours of numeric attributes. */
function aggregate(times: readonly number[], ids: readonly string[]) {
  const hours = new Map<number, number[]>();
  for (const time of times) {
    const begin = time - (time % (60 * minute));
    const hour = hours.get(begin);
    if (hour) hour.push(time);
    else hours.set(begin, [time]);
  }
  const begins = [...hours.keys()];
  return ids.map((identifier) => {
    const values = [...hours.values()].map((hour) => hour.map((time) => Number(readAt(identifier, time))));
    const sums = values.map((some) => some.reduce((sum, value) => sum + value, 0));
    return {
      identifier,
      times: begins.map((begin, at) => begin - (begins[at - 1] ?? 0)),
      count: values.map(({ length }) => length),
      low: values.map((some) => Math.min(...some)),
      mean: sums.map((sum, at) => sum / (values[at]?.length ?? 1)),
      high: values.map((some) => Math.max(...some)),
      sum: sums,
    };
  });
}

export const historyPaths = {
  tsl: '/admin-api/client/pc/device/get/tsl',
  columns: '/admin-api/client/pc/device/get/columns/time-interval-data',
  hours: '/admin-api/client/pc/device/get/columns/aggregated-data',
  rows: '/admin-api/client/pc/device/get/format-sign-array/time-interval-data',
  file: '/admin-api/client/pc/device/export-device-data-excel',
  page: '/admin-api/client/pc/device/page',
};

/**
 * A fake history server with one reading per minute. A test changes its data and inspects its
 * requests.
 */
export function historyServer() {
  const state = {
    models: { 'WS-1': mast, 'WS-2': mast.slice(0, 1), 'SP-1': [property('soil', 'Soil', '%')] } as Record<
      string,
      TslProperty[]
    >,
    /** What a calibration adds to the air temperature. */
    offset: 0,
    /** Times without readings. */
    silent: [] as { from: number; to: number }[],
    /** Answers that replace the usual ones, by path. */
    answers: new Map<string, (request: Request) => Response | Promise<Response>>(),
    calls: [] as { path: string; query: URLSearchParams }[],
    asked: (path: string) => state.calls.filter((call) => call.path === path).map(({ query }) => query),
  };
  const on = (path: string, answer: (query: URLSearchParams) => Response) =>
    onGet(path, async ({ request }) => {
      const query = new URL(request.url).searchParams;
      state.calls.push({ path, query });
      return (await state.answers.get(path)?.(request)) ?? answer(query);
    });
  const times = (query: URLSearchParams) => {
    const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))];
    const first = Math.ceil(from / minute) * minute;
    const all = Array.from(
      { length: Math.max(0, Math.floor((to - first) / minute) + 1) },
      (_, index) => first + index * minute,
    );
    return { from, to, times: all.filter((time) => !state.silent.some((gap) => time > gap.from && time < gap.to)) };
  };
  const ids = (query: URLSearchParams) => (query.get('yeuSignList') ?? '').split(',').filter(Boolean);

  on(historyPaths.tsl, (query) => {
    const deviceName = query.get('deviceName') ?? '';
    return ok({ deviceName, propertie: state.models[deviceName] ?? [] });
  });
  on(historyPaths.columns, (query) => {
    const { from, to, times: all } = times(query);
    const points = Number(query.get('points') ?? 0);
    const width = points ? Math.floor((to - from) / Math.floor(points / 2)) + 1 : 0;
    const pieces = ids(query).map((id) => {
      const added = id === 'airTemperature' && query.get('values') !== 'raw' ? state.offset : 0;
      const list = all.map((time) => ({ time, value: readAt(id, time) }));
      const kept = points ? thin(list, from, width, points) : list;
      const raw = kept.map(({ value }) => Number(value));
      const folded = typeof list[0]?.value === 'number' && kept.length < list.length;
      return {
        times: kept.map(({ time }, at) => time - (kept[at - 1]?.time ?? 0)),
        values: { [id]: added === 0 ? kept.map(({ value }) => value) : raw.map((value) => value + added) },
        ...(added === 0 ? {} : { raw: { [id]: raw } }),
        ...(folded ? { bucket: width } : {}),
      };
    });
    return ok(pieces.filter(({ times: some }) => some.length > 0));
  });
  on(historyPaths.hours, (query) => ok({ resolution: 'hour', aggregates: aggregate(times(query).times, ids(query)) }));
  on(historyPaths.rows, (query) =>
    ok(
      times(query).times.map((time) => ({
        collect_time: time,
        ...Object.fromEntries(ids(query).map((id) => [id, readAt(id, time)])),
      })),
    ),
  );
  on(historyPaths.page, () => {
    const list = Object.keys(state.models).map((deviceName) => device({ deviceName, noteName: `The ${deviceName}` }));
    return ok({ list, total: list.length });
  });
  on(historyPaths.file, () => {
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    return new HttpResponse(new TextEncoder().encode('spreadsheet'), { headers: { 'Content-Type': type } });
  });
  return state;
}

/** Replaces the chart's engine, which needs a canvas; tests inspect what it is given to draw. */
export function fakeEngine() {
  interface Axis {
    min: number;
    max: number;
  }
  interface Drawing {
    series?: {
      type: string;
      data: Float64Array;
      step?: string | false;
      stack?: string;
      lineStyle?: { opacity: number };
    }[];
    xAxis: Axis[];
    yAxis?: Axis[];
  }
  const drawings: Drawing[] = [];
  const frames: Drawing[] = [];
  let fail = false;
  return {
    drawings,
    newest: () => drawings.at(-1),
    /** The ends of the visible time axis. */
    window: () => {
      const axis = frames.at(-1)?.xAxis[0];
      return axis && { min: axis.min, max: axis.max };
    },
    breakDown: () => {
      fail = true;
    },
    module: {
      init: () => {
        if (fail) throw new Error('no canvas');
        const finished = new Set<() => void>();
        return {
          on: (_: string, listener: () => void) => finished.add(listener),
          setOption: (option: Drawing, { notMerge = false } = {}) => {
            (notMerge ? drawings : frames).push(option);
            queueMicrotask(() => {
              for (const listener of finished) listener();
            });
          },
          resize: () => undefined,
          dispose: () => finished.clear(),
        };
      },
    },
  };
}

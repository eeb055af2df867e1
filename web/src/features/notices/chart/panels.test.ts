import { describe, expect, it } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { tickTexts } from '@/ui/chart/axes';
import { estimateWidth, truncateToWidth } from '@/ui/chart/measure';
import type { AlarmDetail } from '../queries';
import { layout, nameRoom, textRoomOf, xOf, yOf } from './geometry';
import { type Panel, panelsOf } from './panels';
import { chartQuery, hasPoints, questionOf, seriesOf, spanOf, withPresence, withReading } from './readings';

const minute = 60_000;
const start = 1_795_230_000_000;
const words = { off: 'Off', on: 'On', offline: 'Offline', online: 'Online', presence: 'Connection' };
type Condition = AlarmDetail['alarmRules']['conditions'][number];

const condition = (change: Partial<Condition> = {}): Condition => ({
  andor: 'and',
  tslAttribute: 'temperature',
  yeuName: 'Temperature',
  elementUnit: '°C',
  precision: 1,
  subconditions: '<',
  value: 2,
  ...change,
});

function detail(conditions: Condition[], change: Partial<AlarmDetail> = {}): AlarmDetail {
  return {
    alarmNotice: {
      id: 1,
      ruleId: 1,
      title: 'Frost',
      resolveStatus: 0,
      alarmLevel: 2,
      alarmDesc: '',
      startTime: start,
      durationTime: 0,
      createTime: start,
      mayResolve: true,
    },
    alarmRules: { triggerType: 0, conditions, hitCounts: 1, durations: 5 * minute },
    alarmDeviceInfoRespDTO: {
      deviceName: 'WS-1',
      noteName: '',
      productName: '',
      mainSign: 'temperature',
      onlineState: 1,
      deleted: false,
    },
    samples: [],
    deliveries: [],
    ...change,
  };
}

const span = { from: start - 5 * minute, to: start + 10 * minute };
const until = start + 5 * minute;
const plots = (of: AlarmDetail, series: Parameters<typeof panelsOf>[1] = {}) =>
  panelsOf(of, series, span, until, words, new Map());

describe('the plots', () => {
  it('are one per unit, with the limits of its attributes and each attribute once', () => {
    const given = [
      condition(),
      condition({ tslAttribute: 'soil', yeuName: 'Soil', value: 4, recovery: 6 }),
      condition({ tslAttribute: 'humidity', yeuName: 'Humidity', elementUnit: '%', subconditions: '>=', value: 85 }),
      condition({ andor: 'or', subconditions: '>', value: 30 }),
    ];
    const panels = plots(detail(given), { temperature: [{ time: start, value: 1.5 }] });
    expect(panels.map(({ unit, traces }) => [unit, traces.map(({ name, color }) => `${name} ${color}`)])).toEqual([
      ['°C', ['Temperature 0', 'Soil 1']],
      ['%', ['Humidity 2']],
    ]);
    expect(panels[0]?.limits.map(({ value, side, recovery }) => [value, side, recovery])).toEqual([
      [2, 'below', null],
      [30, 'above', null],
      [4, 'below', 6],
    ]);
    expect(panels[0]?.traces[0]).toMatchObject({ precision: 1, points: [[start, 1.5]] });
  });

  it('cover every reading, every limit and every mark', () => {
    const samples = [{ time: start, values: { temperature: -7.2, other: 99 } }];
    const [panel] = plots(detail([condition({ recovery: 9 })], { samples }), {
      temperature: [
        { time: start, value: 1 },
        { time: span.to + 1, value: 500 },
        { time: start + 1, value: 'broken' },
      ],
    });
    expect(panel?.traces[0]?.points).toEqual([[start, 1]]);
    expect(panel?.traces[0]?.marks).toEqual([[start, -7.2]]);
    expect(panel?.scale.min).toBeLessThanOrEqual(-7.2);
    expect(panel?.scale.max).toBeGreaterThanOrEqual(9);
    expect(panel?.scale.max).toBeLessThan(20);
  });

  it('show a switch and a text in steps that last until now', () => {
    const panels = plots(
      detail([
        condition({ tslAttribute: 'heating', yeuName: 'Heating', elementUnit: '', subconditions: '=', value: false }),
        condition({ tslAttribute: 'wetness', yeuName: 'Wetness', elementUnit: '', subconditions: '=', value: 'wet' }),
      ]),
      {
        heating: [
          { time: start, value: true },
          { time: start + minute, value: false },
        ],
        wetness: [
          { time: start, value: 'dry' },
          { time: start + minute, value: 'wet' },
        ],
      },
    );
    expect(panels.map(({ labels }) => labels)).toEqual([
      ['Off', 'On'],
      ['dry', 'wet'],
    ]);
    expect(panels[0]?.traces[0]?.points).toEqual([
      [start, 1],
      [start + minute, 0],
      [until, 0],
    ]);
    expect(panels[1]?.traces[0]?.points.at(-1)).toEqual([until, 1]);
  });

  it('of a device that went offline know the state before the first change; without changes, only that it was offline', () => {
    const offline = detail([], { alarmRules: { triggerType: 1, conditions: [], hitCounts: 1, durations: minute } });
    const points = (changes: [number, boolean][]) =>
      plots(offline, { onlineState: changes.map(([time, value]) => ({ time, value })) })[0]?.traces[0]?.points;
    expect(points([])).toEqual([
      [start - minute, 0],
      [until, 0],
    ]);
    expect(points([[start - minute, false]])).toEqual([
      [span.from, 1],
      [start - minute, 0],
      [until, 0],
    ]);
    expect(points([[start - 60 * minute, false]])).toEqual([
      [span.from, 0],
      [until, 0],
    ]);
  });
});

describe('the positions', () => {
  const format = formatFor('en-us');
  const laidOut = (of: Panel[], width = 500) => layout(of, width, textRoomOf(of, width, estimateWidth, format));
  const one = plots(detail([condition()]));

  it('have a height of 300 px, and more for many plots', () => {
    const of = (count: number) =>
      Array.from({ length: count }, (_, i) => condition({ tslAttribute: `a${i}`, elementUnit: `u${i}` }));
    expect([1, 2, 3].map((count) => laidOut(plots(detail(of(count)))).height)).toEqual([300, 300, 300]);
    const grown = laidOut(plots(detail(of(6))));
    expect(grown.height).toBeGreaterThan(500);
    grown.boxes.forEach(({ top, height }, i) => {
      expect(height).toBeGreaterThanOrEqual(64);
      expect(top).toBeGreaterThan((grown.boxes[i - 1]?.top ?? -1) + (grown.boxes[i - 1]?.height ?? 0));
    });
  });

  it('of time and value are within the plot', () => {
    const geometry = laidOut(one);
    const box = geometry.boxes[0];
    if (!box || !one[0]) throw new Error('no plot');
    expect([xOf(span.from, span, geometry), xOf(span.to, span, geometry)]).toEqual([40, 484]);
    expect(yOf(one[0].scale.min, one[0].scale, box)).toBe(box.top + box.height);
    expect(yOf(one[0].scale.max, one[0].scale, box)).toBe(box.top);
  });
});

describe.each(['en-us', 'zh-cn', 'tr-tr', 'ru-ru'] as const)('the texts around the plots, in %s', (language) => {
  const format = formatFor(language);
  const unit = 'kg CO₂ equivalent per ha and day';
  const numbers = (value: number) => plots(detail([condition({ elementUnit: unit, value })]));

  it.each([1440, 768, 360])('fit on a screen of %d px', (screen) => {
    const width = screen === 1440 ? 520 : screen - 48;
    for (const value of [120_000, -50_000, 0.0001]) {
      const panels = numbers(value);
      const geometry = layout(panels, width, textRoomOf(panels, width, estimateWidth, format));
      const texts = tickTexts(panels[0]?.scale ?? { min: 0, max: 1, step: 1 }, format.number);
      for (const text of texts) expect(estimateWidth(text) + 8).toBeLessThanOrEqual(geometry.left);
      // Such a long unit reaches over the plot: the labels of begin and end stand above it.
      expect(geometry.boxes[0]?.top).toBe(42);
    }
    const words = plots(detail([condition({ value: 'thunderstorm with hail and sleet' })]), {
      temperature: [{ time: start, value: 'thunderstorm with hail and sleet' }],
    });
    const geometry = layout(words, width, textRoomOf(words, width, estimateWidth, format));
    expect(geometry.left).toBeLessThanOrEqual(Math.max(32, width * 0.34));
    expect(
      estimateWidth(truncateToWidth('thunderstorm with hail and sleet', nameRoom(geometry), estimateWidth)),
    ).toBeLessThanOrEqual(geometry.left);
  });
});

describe('the readings', () => {
  const question = { deviceName: 'WS-1', signs: ['a', 'b'], numeric: ['a'], start, end: start + 10 * minute };
  const reading = (time: number, values: Record<string, number>) => ({ deviceName: 'WS-1', time, values });

  it('are requested for each of the rule’s attributes once, around the alarm', () => {
    const pump = condition({ tslAttribute: 'pump', value: true });
    const of = detail([condition(), condition({ andor: 'or' }), condition({ tslAttribute: 'soil' }), pump]);
    expect(questionOf(of)).toEqual({
      deviceName: 'WS-1',
      signs: ['temperature', 'soil', 'pump'],
      numeric: ['temperature', 'soil'],
      start,
    });
    of.alarmNotice.endTime = start + minute;
    expect(questionOf(of).end).toBe(start + minute);
    expect(chartQuery(questionOf(of)).queryKey.at(-1)).toEqual(questionOf(of));
  });

  it('are converted from rows', () => {
    const rows = [
      { collect_time: 1, a: 5 },
      { collect_time: 2, a: 6, b: false },
    ];
    expect(seriesOf(rows, ['a', 'b'])).toEqual({
      a: [
        { time: 1, value: 5 },
        { time: 2, value: 6 },
      ],
      b: [{ time: 2, value: false }],
    });
    expect(hasPoints(seriesOf([], ['a']))).toBe(false);
    expect(hasPoints(undefined)).toBe(false);
  });

  it('are extended by live readings, in order of time, each time once, within the axis', () => {
    const late = start + 16 * minute;
    const after = Array.from({ length: 9 }, (_, i) => ({ time: question.end + (i + 1) * 30_000, value: 1 }));
    const series = { a: [{ time: start, value: 1 }, ...after] };
    expect(withReading(series, question, reading(start - 6 * minute, { a: 9 }))).toBe(series);
    expect(withReading(series, question, reading(start + minute, { c: 9 }))).toBe(series);
    const next = withReading(series, question, reading(start - minute, { a: 9, b: 4 }));
    expect(next.a?.slice(0, 2).map(({ time }) => time)).toEqual([start - minute, start]);
    expect(next.b).toEqual([{ time: start - minute, value: 4 }]);
    expect(withReading(next, question, reading(start, { a: 2 })).a?.[1]).toEqual({ time: start, value: 2 });
    // Later than five minutes after the end, only up to the tenth reading.
    const tenth = withReading(series, question, reading(late, { a: 5 }));
    expect(tenth.a?.at(-1)).toEqual({ time: late, value: 5 });
    expect(spanOf(question, tenth, late).to).toBe(late);
    expect(withReading(tenth, question, reading(late + minute, { a: 5 }))).toBe(tenth);
    expect(withPresence({}, { deviceName: 'WS-1', time: 5, onlineState: 0 })).toEqual({
      onlineState: [{ time: 5, value: false }],
    });
  });
});

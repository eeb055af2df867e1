import { describe, expect, it } from 'vitest';
import { correct, lineThrough, offsetLine } from './formula';
import { type CalibrationValues, calibrationBody, checkCalibration, lineOf, pointsError } from './rules';

describe('the corrected number', () => {
  it('is the sum with an offset, by the line through two points', () => {
    expect(correct(offsetLine(-0.5), 21.4, { precision: 1 })).toBe(20.9);
    const ph = lineThrough(4.1, 4, 7.2, 7);
    expect(ph && correct(ph, 5.65, { precision: 2 })).toBe(5.5);
    expect(lineThrough(4, 4, 4, 7)).toBeUndefined();
  });

  it('is rounded to the decimals of its property, halves away from zero, and kept in its range', () => {
    expect(correct(offsetLine(0.15), 1, { precision: 1 })).toBe(1.2);
    expect(correct(offsetLine(-0.15), -1, { precision: 1 })).toBe(-1.2);
    // 1.005 is a little less in binary.
    expect(correct(offsetLine(0.005), 1, { precision: 2 })).toBe(1.01);
    expect(correct(offsetLine(0.25), 1, {})).toBe(1.25);
    expect(correct(offsetLine(5), 98, { precision: 0, min: 0, max: 100 })).toBe(100);
    expect(correct(offsetLine(-5), 3, { precision: 0, min: 0, max: 100 })).toBe(0);
  });
});

const values: CalibrationValues = {
  sign: 'ph',
  fromTime: 1000,
  kind: 'twoPoint',
  offset: '',
  raw1: '4,10',
  true1: '4',
  raw2: '7.20',
  true2: '7',
  note: ' buffer solutions ',
};

describe('the form', () => {
  it('takes numbers with a comma or a dot, and sends only those of its kind', () => {
    expect(checkCalibration(values, 2000)).toEqual({});
    expect(calibrationBody('WS-1', values)).toEqual({
      deviceName: 'WS-1',
      yeuSign: 'ph',
      fromTime: 1000,
      kind: 'twoPoint',
      raw1: 4.1,
      true1: 4,
      raw2: 7.2,
      true2: 7,
      note: 'buffer solutions',
    });
    expect(calibrationBody('WS-1', { ...values, kind: 'offset', offset: '−0.5', note: ' ' })).toEqual({
      deviceName: 'WS-1',
      yeuSign: 'ph',
      fromTime: 1000,
      kind: 'offset',
      offset: -0.5,
      note: undefined,
    });
    expect(lineOf({ ...values, kind: 'none' })).toBeUndefined();
  });

  it('refuses what the server would refuse', () => {
    const problems = (part: Partial<CalibrationValues>) => checkCalibration({ ...values, ...part }, 2000);
    expect(problems({ sign: '', fromTime: 2001 })).toEqual({
      sign: 'calibration.form.propertyRequired',
      fromTime: 'history.rangeFuture',
    });
    expect(problems({ fromTime: null })).toEqual({ fromTime: 'calibration.form.sinceRequired' });
    expect(problems({ kind: 'offset' })).toEqual({ offset: 'calibration.form.number' });
    expect(problems({ raw1: 'x', true2: '' })).toEqual({
      raw1: 'calibration.form.number',
      true2: 'calibration.form.number',
    });
    expect(problems({ raw2: '4.1' })).toEqual({ raw2: 'calibration.form.same' });
    expect(problems({ true2: '40' })).toEqual({ raw2: 'calibration.form.gainLimits' });
    // A line that falls.
    expect(problems({ true2: '3' })).toEqual({ raw2: 'calibration.form.gainLimits' });
    expect(problems({ kind: 'none', note: 'x'.repeat(501) })).toEqual({ note: 'device.form.tooLong' });
    // Both limits are allowed.
    expect(pointsError({ ...values, raw1: '0', true1: '0', raw2: '1', true2: '10' })).toBeNull();
    expect(pointsError({ ...values, raw1: '0', true1: '0', raw2: '10', true2: '1' })).toBeNull();
    // While one is missing, nothing can be said.
    expect(pointsError({ ...values, true2: '' })).toBeNull();
  });
});

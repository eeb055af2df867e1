import { describe, expect, it } from 'vitest';
import { device } from '@/test/telemetryServer';
import { bodyOf, checkEdit, noteLength, valuesOf } from './rules';

const validValues = valuesOf(device({ noteName: 'Mast', latitude: 37.85, longitude: 27.34 }));

describe('the form of a device', () => {
  it('accepts a name with or without a position', () => {
    expect(checkEdit(validValues)).toEqual({});
    expect(checkEdit({ ...validValues, latitude: '', longitude: '' })).toEqual({});
    expect(checkEdit({ ...validValues, noteName: 'x', latitude: '-90', longitude: '180' })).toEqual({});
  });

  it('sends what it shows, without blanks around it, and an empty position as none', () => {
    expect(bodyOf({ ...validValues, noteName: ' Mast ' })).toMatchObject({
      noteName: 'Mast',
      latitude: 37.85,
      longitude: 27.34,
    });
    expect(bodyOf({ ...validValues, latitude: '', longitude: ' ' })).toMatchObject({ latitude: null, longitude: null });
  });

  it.each(['', '   '])('requires the remark name: “%s”', (noteName) => {
    expect(checkEdit({ ...validValues, noteName })).toEqual({ noteName: 'device.noteRequired' });
  });

  it('counts characters as people do', () => {
    expect(noteLength(' 🌱🌱 ')).toBe(2);
    expect(checkEdit({ ...validValues, noteName: '🌱'.repeat(64) })).toEqual({});
    expect(checkEdit({ ...validValues, noteName: 'a'.repeat(65) })).toEqual({ noteName: 'device.form.tooLong' });
  });

  it('limits positions to the earth', () => {
    expect(checkEdit({ ...validValues, latitude: '90.1', longitude: 'east' })).toEqual({
      latitude: 'device.form.latitudeRange',
      longitude: 'device.form.longitudeRange',
    });
  });

  it('requires both numbers or neither', () => {
    expect(checkEdit({ ...validValues, latitude: '' })).toEqual({ latitude: 'device.form.both' });
    expect(checkEdit({ ...validValues, longitude: ' ' })).toEqual({ longitude: 'device.form.both' });
  });
});

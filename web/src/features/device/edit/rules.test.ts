import { describe, expect, it } from 'vitest';
import { checkEdit, noteLength } from './rules';

const validValues = { noteName: 'Mast', latitude: '37.85', longitude: '27.34' };

describe('the form of a device', () => {
  it('accepts a name with or without a position', () => {
    expect(checkEdit(validValues)).toEqual({});
    expect(checkEdit({ ...validValues, latitude: '', longitude: '' })).toEqual({});
    expect(checkEdit({ noteName: 'x', latitude: '-90', longitude: '180' })).toEqual({});
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

import { describe, expect, it } from 'vitest';
import { model, noon, weather } from '@/test/telemetryServer';
import { readingList } from './readingList';

const latest = weather(3.4, noon);
const extra = { value: 420, time: noon, unit: 'ppm', name: 'CO2' };

describe('the list of readings', () => {
  it('is in the order of the model, with the main property apart', () => {
    const [temperature, humidity] = model;
    const { main, others } = readingList(
      latest,
      humidity && temperature ? [humidity, temperature] : [],
      'airTemperature',
    );
    expect(main?.sign).toBe('airTemperature');
    expect(others.map(({ sign }) => sign)).toEqual(['airHumidity']);
  });

  it('includes properties without readings, and properties unknown to the model', () => {
    const { main, others } = readingList({ co2: extra }, model, 'airTemperature');
    expect(main).toEqual({ sign: 'airTemperature', name: 'Air temperature', reading: undefined });
    expect(others.map(({ sign, reading }) => [sign, reading?.value])).toEqual([
      ['airHumidity', undefined],
      ['co2', 420],
    ]);
  });

  it('is sorted by name until the model arrives', () => {
    const { main, others } = readingList({ ...latest, co2: extra }, undefined, '');
    expect(main?.name).toBe('Air temperature');
    expect(others.map(({ name }) => name)).toEqual(['CO2', 'Relative humidity']);
  });

  it('takes the first read property if there is no main one', () => {
    expect(readingList({ airHumidity: latest.airHumidity ?? extra }, model, '').main?.sign).toBe('airHumidity');
  });
});
